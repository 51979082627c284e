package bitcoin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A record is one block of a blk*.dat file.
type record struct {
	file   string
	offset int64 // offset of the record in its file
	header wireform.Header
	data   []byte // the serialized block
}

// A blockTxs reads a block one transaction at a time.
type blockTxs struct {
	r      *record
	txs    consensus.TxCursor
	height int32
}

// open starts reading the block r at the given height, which is -1 if unknown.
func (r *record) open(height int32) *blockTxs {
	return &blockTxs{r: r, height: height, txs: consensus.ReadBlock(r.data)}
}

// next returns the next transaction. It returns nil after the last one, and nil with an error if
// the rest of the block cannot be read.
func (b *blockTxs) next() (*units.Transaction, error) {
	t, ok := b.txs.Next()
	if !ok {
		if b.txs.Err != nil {
			return nil, b.txs.Err
		}
		return nil, nil
	}
	where := reading.In(b.r.file)
	where.Block, where.Offset = b.height, b.r.offset+framing.HeadSize+int64(t.At.Begin)
	return &units.Transaction{Transaction: bitcoin.Transaction{Tx: t.Tx},
		ID: t.ID, Block: b.txs.Data, Where: where}, nil
}

// flaws returns an error if the block as a whole is invalid on network n. The caller must have read
// all transactions of the block.
func (b *blockTxs) flaws(n consensus.Network) error {
	why := b.txs.Body.Flaws(n, &b.r.header, b.height)
	if fit := n.Misfit(&b.r.header); fit != "" {
		why = strings.TrimSuffix(fit+"; "+why, "; ")
	}
	if why == "" {
		return nil
	}
	return errors.New(why)
}

// malformed returns a Malformed verdict on the block r as a whole, with the reason err.
func (r *record) malformed(height int32, err error) *units.Decided {
	where := reading.In(r.file)
	where.Block, where.Offset = height, r.offset+framing.HeadSize
	var f *wireform.FormatError
	if errors.As(err, &f) {
		where.Offset += int64(f.At)
	}
	return units.MalformedBlock(where, &r.header, fmt.Sprint(err))
}
