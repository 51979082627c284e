package bitcoin

import (
	"cmp"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

// A blockCopy says that block n has the same header as the earlier block first. Both are index
// numbers.
type blockCopy struct{ n, first int32 }

// maxCopies is the maximum number of blocks in a Directory whose header an earlier block has too.
const maxCopies = 1 << 20

// chooseCopies chooses, of the copies of each block, the one that counts: the first one without a
// flaw, or else the first one. A bad disk can damage a block, and its node then downloads it again.
// The result maps a first copy to the copy that counts in its place. chooseCopies sets the index's
// field spare to all copies but the first ones, which newHeaderIndex corrects by the result.
func (r *headerReader) chooseCopies(copies []blockCopy) (map[int32]int32, error) {
	r.x.spare = newBitset(r.x.n)
	firsts := newBitset(r.x.n)
	for _, c := range copies {
		r.x.spare.set(c.n)
		if !firsts.has(c.first) {
			firsts.set(c.first)
			copies = append(copies, blockCopy{c.first, c.first})
		}
	}
	slices.SortFunc(copies, func(a, b blockCopy) int { return cmp.Compare(a.n, b.n) })
	chosen := make(map[int32]int32)
	var o *openBlocks
	defer func() { o.close() }()
	for _, c := range copies {
		if _, ok := chosen[c.first]; ok {
			continue
		}
		if i := r.d.fileOf(c.n); o == nil || o.i != i {
			o.close()
			var err error
			if o, err = r.d.openBlocks(i); err != nil {
				return nil, err
			}
		}
		rec, err := o.read(c.n)
		if err != nil {
			return nil, err
		}
		if rec.intact(r.d.network, r.x.height(c.n)) {
			chosen[c.first] = c.n
			*r.x.heights.at(c.first) = r.x.height(c.n) // children get theirs from the first copy
		}
	}
	for first, n := range chosen {
		if n == first {
			delete(chosen, first)
		}
	}
	return chosen, nil
}

// intact reports whether the block r has no flaw on network n at the given height, apart from its
// header, which its copies have too.
func (r *record) intact(n consensus.Network, height int32) bool {
	b := r.open(height)
	for {
		t, err := b.next()
		if t == nil || err != nil {
			return err == nil && b.txs.Body.Flaws(n, &r.header, height) == ""
		}
	}
}
