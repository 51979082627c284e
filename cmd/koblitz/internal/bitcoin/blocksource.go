package bitcoin

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// A BlockID names a block, by its height in the chain with the most work or by its hash.
type BlockID struct {
	Height int32 // or -1
	Hash   chainhash.Hash
}

// ParseBlockID reads a height, or a hash as explorers print it.
func ParseBlockID(s string) (BlockID, error) {
	if len(s) == 2*chainhash.HashSize {
		if hash, err := chainhash.NewHashFromStr(s); err == nil {
			return BlockID{-1, *hash}, nil
		}
	}
	n, err := strconv.ParseInt(s, 10, 31)
	if err != nil || n < 0 {
		return BlockID{}, fmt.Errorf("%q is neither a height nor the 64 hex digits of a block's hash", s)
	}
	return BlockID{Height: int32(n)}, nil
}

func (id BlockID) String() string {
	if id.Height < 0 {
		return id.Hash.String()
	}
	return strconv.Itoa(int(id.Height))
}

// A FullBlock is a block with what its inputs spend.
type FullBlock struct {
	Raw   []byte // serialized; nil if the source does not have it in that form
	Spent *Spent
}

// A BlockSource gives blocks with what they spend, one by one.
type BlockSource interface {
	// Block returns the block of that name. It is an error if there is none, or if it is not known
	// what it spends.
	Block(id BlockID) (*FullBlock, error)
}

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

// SpentOf reads what the inputs of one block spend from JSON as GetBlock does. What GetBlock calls
// malformed is an error.
func SpentOf(src rows.Source, opt Options) (*Spent, error) {
	r := GetBlock(src, opt).(*getBlock)
	defer r.Close()
	var s *Spent
	var of *blockSum
	var malformed error
	x := expander{emit: func(u *rows.Unit) {
		if u.Decided == rows.Malformed && malformed == nil {
			malformed = fmt.Errorf("%v: %s", u.Where, u.Reason)
		}
	}}
	for {
		err := r.step()
		for _, p := range r.queue.pieces {
			if t, ok := p.(*txText); ok {
				if of != t.of {
					if of = t.of; s != nil {
						return nil, r.json.Fail("a second block: the outputs of one go to a file")
					}
					s = &Spent{Height: t.of.where.Block, Block: t.of.header.hash}
				}
				if err := s.add(t); err != nil {
					return nil, r.json.Fail("%w", err)
				}
			}
			if p.expand(&x); malformed != nil {
				return nil, malformed
			}
		}
		r.queue = queue{}
		switch {
		case err == io.EOF && s == nil:
			return nil, r.json.Fail("no block in it")
		case err == io.EOF:
			return s, nil
		case err != nil:
			return nil, err
		}
	}
}

// add adds what a transaction spends.
func (s *Spent) add(t *txText) error {
	if t.index == 0 {
		return nil
	}
	tr, err := t.parse(new(txJSON))
	if err != nil {
		return err
	}
	for i, o := range tr.spent {
		if !o.known {
			return fmt.Errorf("input %d of %v: %w", i, tr.id, errors.New(tr.missing))
		}
		if err := s.append(o); err != nil {
			return err
		}
	}
	return nil
}

// append adds an output. It is an error if ReadSpent would refuse so many of them.
func (s *Spent) append(o output) error {
	if len(s.Outputs) == maxInputs {
		return fmt.Errorf("it has more than %d inputs, and no block can", maxInputs)
	}
	if s.scripts += len(o.script); s.scripts > maxSpentScripts {
		return fmt.Errorf("the scripts that it spends have more than %d bytes, and no more go to a file",
			maxSpentScripts)
	}
	s.Outputs = append(s.Outputs, Output{Amount: o.amount, Script: o.script})
	return nil
}

var _ BlockSource = (*Directory)(nil)
