package bitcoin

import (
	"cmp"
	"slices"
)

// A blockCopy says that block n has the same header as the block first, which is the first of its
// copies. Both are index numbers.
type blockCopy struct{ n, first int32 }

// maxCopies is the maximum number of blocks in a Directory whose header another block has too.
const maxCopies = 1 << 20

// chooseCopies chooses, of the copies of each block, the one that counts: the first one without a
// flaw, or else the first one. A bad disk can damage a block, and its node then downloads it again.
// copies has all copies of each block that has several. The result maps the first copy of each to
// the copy that counts.
func (r *headerReader) chooseCopies(copies []blockCopy) (map[int32]int32, error) {
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
		rec, err := o.read(c.n, r.x.height(c.n))
		if err != nil {
			return nil, err
		}
		if rec.intact(r.d.network) {
			chosen[c.first] = c.n
			*r.x.heights.at(c.first) = rec.height // children get theirs from the first copy
		}
	}
	return chosen, nil
}
