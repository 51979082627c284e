package bitcoin

import (
	"bytes"
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Block returns a block of the folder. The block may be outside the range. Block implements
// prevouts.BlockSource.
func (d *Directory) Block(id prevouts.BlockID) (*prevouts.FullBlock, error) {
	if d.failed {
		return nil, fmt.Errorf("%s: its headers cannot be read", d.path)
	}
	if err := d.readIndex(); err != nil {
		return nil, err
	}
	for i := range d.files {
		if id.Height < 0 || d.hasHeight(i, id.Height) {
			if b, err := d.blockIn(i, id); b != nil || err != nil {
				return b, err
			}
		}
	}
	for i := range d.files {
		if d.files[i].err != nil {
			return nil, fmt.Errorf("%s: no block %v, as far as it can be read: %w", d.path, id,
				d.files[i].err)
		}
	}
	return nil, fmt.Errorf("%s: no block %v", d.path, id)
}

// hasHeight reports whether file i has a block of height h that is not stale.
func (d *Directory) hasHeight(i int, h int32) bool {
	for k := range d.files[i].count {
		if n := d.files[i].first + k; d.index.height(n) == h && !d.index.lost.has(n) {
			return true
		}
	}
	return false
}

// blockIn returns the block with the given id if file i contains it, and otherwise nil.
func (d *Directory) blockIn(i int, id prevouts.BlockID) (*prevouts.FullBlock, error) {
	r := &blocksReader{d: d, i: i, wanted: true}
	defer r.Close()
	if err := r.start(); err != nil {
		return nil, err
	}
	for range d.files[i].count {
		at, size, err := r.walk.Next()
		if err != nil {
			return nil, err
		}
		r.next++
		n := r.next - 1
		if id.Height >= 0 {
			if d.index.height(n) != id.Height || d.index.lost.has(n) {
				continue
			}
		} else if b, err := r.walk.Bytes(at+8, wireform.HeaderSize); err != nil {
			return nil, &rows.Error{File: r.walk.Name, Offset: at, Err: err}
		} else {
			head := bytes.Clone(b)
			framing.Unmask(head, d.key, at+8)
			if wireform.ParseHeader(head).Hash != id.Hash || d.index.spare.has(n) {
				continue
			}
		}
		if err := r.open(at, size, d.index.height(n)); err != nil {
			return nil, err
		}
		return r.full()
	}
	return nil, nil
}

// full returns the open block and all outputs that it spends.
func (r *blocksReader) full() (*prevouts.FullBlock, error) {
	s := &prevouts.Spent{Height: r.block.height, Block: r.block.r.header.Hash}
	err := r.visit(func(_ int, _ *wire.MsgTx, _ chainhash.Hash, spent []wireform.Output) error {
		for _, o := range spent {
			if err := s.Append(o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &prevouts.FullBlock{Raw: r.block.r.data, Spent: s}, nil
}

// visit calls f with each transaction of the open block, except its coinbase, and the outputs that
// the transaction spends. It returns an error if these are not known, or if the block is invalid as
// a whole; f may have been called before.
func (r *blocksReader) visit(f prevouts.Visit) error {
	b := r.block
	fail := func(why string) error {
		return &rows.Error{File: b.r.file, Offset: b.r.offset + 8,
			Err: fmt.Errorf("block %v: %s", b.r.header.Hash, why)}
	}
	for i := 0; ; i++ {
		t, err := b.next()
		if err == nil && t == nil {
			err = b.flaws(r.d.network)
		}
		switch {
		case err != nil:
			return fail(err.Error())
		case t == nil:
			return nil
		case wireform.IsCoinbase(t.Tx):
			continue
		case r.have != spentByUndo:
			return fail(r.unknown())
		}
		outs, err := r.undo.Transaction(len(t.Tx.TxIn))
		if err != nil {
			r.noUndo(err)
			return fail(r.why)
		}
		if err := f(i, t.Tx, t.ID, outs); err != nil {
			return fail(err.Error())
		}
	}
}

var _ prevouts.BlockSource = (*Directory)(nil)
