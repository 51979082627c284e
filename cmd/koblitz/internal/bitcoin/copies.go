package bitcoin

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A blockCopy says that block n has the same header as the earlier block first. Both are index
// numbers.
type blockCopy struct{ n, first int32 }

// maxCopies is the maximum number of blocks in a Directory whose header an earlier block has too.
const maxCopies = 1 << 20

// A copyChooser finds, of the copies of each block, the one that counts: the first one without a
// flaw, or else the first one. A bad disk can damage a block, and its node then downloads it again.
type copyChooser struct {
	*headerReader
	firsts  bitset      // blocks that have copies
	settled bitset      // blocks of firsts of which an intact copy has been found
	left    []blockCopy // copies not looked at yet
	moved   []blockCopy // copies that count in the place of their first ones
}

// chooseCopies sets the index's field spare to the copies that do not count. It moves the children
// of their blocks to the copies that do.
func (r *headerReader) chooseCopies() error {
	n := r.x.n
	r.x.spare = newBitset(n)
	if len(r.copies) == 0 {
		return nil
	}
	c := &copyChooser{headerReader: r, firsts: newBitset(n), settled: newBitset(n), left: r.copies}
	for _, copy := range r.copies {
		c.firsts.set(copy.first)
		r.x.spare.set(copy.n)
	}
	for i := range r.d.files {
		if err := c.file(i); err != nil {
			return err
		}
	}
	for _, copy := range c.moved {
		r.x.spare.set(copy.first)
		r.x.spare.clear(copy.n)
	}
	byFirst := func(a, b blockCopy) int { return cmp.Compare(a.first, b.first) }
	slices.SortFunc(c.moved, byFirst)
	for i := range n {
		parent := r.parents.at(i)
		if k, ok := slices.BinarySearchFunc(c.moved, blockCopy{first: *parent}, byFirst); ok {
			*parent = c.moved[k].n
		}
	}
	return nil
}

// file looks at the copies in file i.
func (c *copyChooser) file(i int) error {
	bf, name := &c.d.files[i], c.d.blk(i)
	end := bf.first + bf.count
	any := len(c.left) > 0 && c.left[0].n < end
	for n := bf.first; n < end && !any; n++ {
		any = c.firsts.has(n)
	}
	if !any {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, reading.Bare(err))
	}
	defer f.Close()
	b := &blocksReader{d: c.d, f: f}
	b.walk = framing.NewWalk(c.d.blockFraming(name), f, bf.size)
	for n := bf.first; n < end; n++ {
		at, size, err := b.walk.Next()
		if err != nil {
			return &reading.Error{File: name, Offset: b.walk.At,
				Err: errors.New("the file has changed while it was read")}
		}
		first, isCopy := n, len(c.left) > 0 && c.left[0].n == n
		if isCopy {
			first, c.left = c.left[0].first, c.left[1:]
		}
		if !isCopy && !c.firsts.has(n) || c.settled.has(first) {
			continue
		}
		rec, err := b.read(at, size)
		if err != nil {
			return err
		}
		height, err := c.d.coinbaseHeight(i, at)
		if err != nil {
			return err
		}
		if rec.intact(c.d.network, height, &b.body) {
			c.settled.set(first)
			if isCopy {
				c.moved = append(c.moved, blockCopy{n, first})
			}
		}
	}
	return nil
}

// intact reports whether the block r has no flaw on network n at the given height, apart from its
// header, which its copies have too. intact resets body and uses its memory.
func (r *record) intact(n consensus.Network, height int32, body *consensus.Body) bool {
	b := r.open(height, body)
	for {
		t, err := b.next()
		if t == nil || err != nil {
			return err == nil && body.Flaws(n, &r.header, height) == ""
		}
	}
}
