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

// A Header identifies a block and its parent.
type Header struct{ Hash, Prev chainhash.Hash }

// Visit calls f with each transaction of the block at the given height of network n, except its
// coinbase. If b.Spent is nil, it passes no spent outputs. It returns an error if the block is
// invalid as a whole; f may have been called before.
func (b *FullBlock) Visit(n consensus.Network, height int32, f Visit) (Header, error) {
	start := wireform.Cursor{Data: b.Raw}
	if start.Bytes(wireform.HeaderSize, "the header"); start.Err != nil {
		return Header{}, start.Err
	}
	h := wireform.ParseHeader(b.Raw)
	fail := func(err error) (Header, error) {
		return Header{}, fmt.Errorf("block %v: %w", h.Hash, err)
	}
	if err := n.Refuse(&h); err != nil {
		return Header{}, err
	}
	var left []Output
	if b.Spent != nil {
		if left = b.Spent.Outputs; b.Spent.Block != h.Hash {
			return fail(fmt.Errorf("its spent outputs are those of block %v", b.Spent.Block))
		}
	}
	var body consensus.Body
	c := consensus.ReadBlock(b.Raw, &body)
	for i := 0; ; i++ {
		t := c.Next()
		if t == nil {
			break
		}
		if wireform.IsCoinbase(t.Tx) {
			continue
		}
		var spent []wireform.Output
		if b.Spent != nil {
			if len(left) < len(t.Tx.TxIn) {
				return fail(errors.New("it has more inputs than spent outputs"))
			}
			for _, o := range left[:len(t.Tx.TxIn)] {
				spent = append(spent, wireform.Output{Known: true, Amount: o.Amount, Script: o.Script})
			}
			left = left[len(t.Tx.TxIn):]
		}
		if err := f(i, t.Tx, t.ID, spent); err != nil {
			return fail(err)
		}
	}
	if c.Err == nil && c.At < len(c.Data) {
		c.Fail("%d bytes after the block's last transaction", len(c.Data)-c.At)
	}
	if c.Err != nil {
		return fail(fmt.Errorf("byte %d: %w", c.Err.At, c.Err))
	}
	if len(left) > 0 {
		return fail(errors.New("it has fewer inputs than spent outputs"))
	}
	if why := body.Flaws(n, &h, height); why != "" {
		return fail(errors.New(why))
	}
	return Header{h.Hash, h.Prev}, nil
}
