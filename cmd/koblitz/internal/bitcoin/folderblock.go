package bitcoin

import (
	"bytes"
	"fmt"

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
			if framing.Unmask(head, d.key, at+8); wireform.ParseHeader(head).Hash != id.Hash {
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
	b := r.block
	fail := func(why string) (*prevouts.FullBlock, error) {
		return nil, &rows.Error{File: b.r.file, Offset: b.r.offset + 8,
			Err: fmt.Errorf("block %v: %s", b.r.header.Hash, why)}
	}
	s := &prevouts.Spent{Height: b.height, Block: b.r.header.Hash}
	for {
		t, err := b.next()
		if err == nil && t == nil {
			err = b.flaws(r.d.network)
		}
		switch {
		case err != nil:
			return fail(err.Error())
		case t == nil:
			return &prevouts.FullBlock{Raw: b.r.data, Spent: s}, nil
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
		for _, o := range outs {
			if err := s.Append(o); err != nil {
				return fail(err.Error())
			}
		}
	}
}

var _ prevouts.BlockSource = (*Directory)(nil)
