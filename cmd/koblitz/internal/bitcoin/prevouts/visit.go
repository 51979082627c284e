package prevouts

import (
	"errors"
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
// n, except its coinbase. It passes no spent outputs. It returns an error if the block is invalid
// as a whole; f may have been called before. It does not check the witnesses.
func VisitRaw(raw []byte, n consensus.Network, height int32, f Visit) (h wireform.Header,
	err error) {
	start := wireform.Cursor{Data: raw}
	if start.Bytes(wireform.HeaderSize, "the header"); start.Err != nil {
		return h, start.Err
	}
	h = wireform.ParseHeader(raw)
	fail := func(err error) (wireform.Header, error) {
		return h, fmt.Errorf("block %v: %w", h.Hash, err)
	}
	if err := n.Refuse(&h); err != nil {
		return h, err
	}
	c := consensus.ReadBlock(raw)
	c.Body.IDsOnly = true
	for i, t := range c.All() {
		if wireform.IsCoinbase(t.Tx) {
			continue
		}
		if err := f(i, t.Tx, t.ID, nil); err != nil {
			return fail(err)
		}
	}
	if c.Err != nil {
		return fail(fmt.Errorf("byte %d: %w", c.Err.At, c.Err))
	}
	if why := c.Body.Flaws(n, &h, height); why != "" {
		return fail(errors.New(why))
	}
	return h, nil
}
