package prevouts

import (
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// A Visit receives a transaction of a block: its index in the block, its id, and the output that
// each input spends. Its error ends the reading of the block.
type Visit func(index int, tx *wire.MsgTx, id chainhash.Hash, spent []wireform.Output) error

// VisitRaw calls f with each transaction of raw, a serialized block at the given height of network
// n, except its coinbase. spent returns the outputs that the next transaction, which has the given
// number of inputs, spends; if it is nil, VisitRaw passes none, and does not check the witnesses.
// VisitRaw returns an error if the block is invalid as a whole; f may have been called before.
func VisitRaw(raw []byte, n consensus.Network, height int32,
	spent func(inputs int) ([]wireform.Output, error), f Visit) (h wireform.Header, err error) {
	start := wireform.Cursor{Data: raw}
	if start.Bytes(wireform.HeaderSize, "the header"); start.Err != nil {
		return h, start.Err
	}
	h = wireform.ParseHeader(raw)
	if err := n.Refuse(&h); err != nil {
		return h, err
	}
	c := consensus.ReadBlock(raw)
	c.IDsOnly = spent == nil
	for i, t := range c.All() {
		if wireform.IsCoinbase(t.Tx) {
			continue
		}
		var outputs []wireform.Output
		if spent != nil {
			outputs, err = spent(len(t.Tx.TxIn))
		}
		if err == nil {
			err = f(i, t.Tx, t.ID, outputs)
		}
		if err != nil {
			return h, fmt.Errorf("block %v: %w", h.Hash, err)
		}
	}
	if c.Err != nil {
		return h, fmt.Errorf("block %v: byte %d: %w", h.Hash, c.Err.At, c.Err)
	}
	flaws := c.Body.Flaws
	if c.IDsOnly {
		flaws = c.Body.IDFlaws
	}
	if why := flaws(n, &h, height); why != "" {
		return h, fmt.Errorf("block %v: %s", h.Hash, why)
	}
	return h, nil
}
