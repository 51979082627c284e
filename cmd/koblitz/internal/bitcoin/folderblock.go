package bitcoin

import (
	"bytes"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Block returns a block of the directory, whatever its range. It implements BlockSource.
func (d *Directory) Block(id BlockID) (*FullBlock, error) {
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

// hasHeight reports whether file i has a block of height h that did not lose.
func (d *Directory) hasHeight(i int, h int32) bool {
	for k := range d.files[i].count {
		if n := d.files[i].first + k; d.index.height(n) == h && !d.index.lost.has(n) {
			return true
		}
	}
	return false
}

// blockIn returns the block if file i has it, or nil.
func (d *Directory) blockIn(i int, id BlockID) (*FullBlock, error) {
	r := &blocksReader{d: d, i: i, wanted: true}
	defer r.Close()
	if err := r.start(); err != nil {
		return nil, err
	}
	for range d.files[i].count {
		at, size, err := r.walk.next()
		if err != nil {
			return nil, err
		}
		r.next++
		n := r.next - 1
		if id.Height >= 0 {
			if d.index.height(n) != id.Height || d.index.lost.has(n) {
				continue
			}
		} else if b, err := r.walk.window.bytes(at+8, headerSize); err != nil {
			return nil, &rows.Error{File: r.walk.name, Offset: at, Err: err}
		} else {
			head := bytes.Clone(b)
			if unmask(head, d.key, at+8); parseHeader(head).hash != id.Hash {
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

// full returns the block that is open.
func (r *blocksReader) full() (*FullBlock, error) {
	b := r.block
	fail := func(why string) (*FullBlock, error) {
		return nil, &rows.Error{File: b.r.file, Offset: b.r.offset + 8,
			Err: fmt.Errorf("block %v: %s", b.r.header.hash, why)}
	}
	s := &Spent{Height: b.height, Block: b.r.header.hash}
	for {
		t, err := b.next()
		if err == nil && t == nil {
			err = b.flaws(r.d.network)
		}
		switch {
		case err != nil:
			return fail(err.Error())
		case t == nil:
			return &FullBlock{b.r.data, s}, nil
		case isCoinbase(t.tx):
			continue
		case r.have != spentByUndo:
			return fail(r.unknown())
		}
		outs, err := r.undo.transaction(len(t.tx.TxIn))
		if err != nil {
			r.noUndo(err)
			return fail(r.why)
		}
		for _, o := range outs {
			if err := s.append(o); err != nil {
				return fail(err.Error())
			}
		}
	}
}

var _ BlockSource = (*Directory)(nil)
