package bitcoin

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/utxo"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// maxIndexed is the most blocks of a Directory: each takes 16 bytes while their headers are read.
// The longest chain is testnet3 with five million.
const maxIndexed = 6 << 20

// maxBranches is the most branches of a Directory: each takes 4 bytes more while the ones that lost
// are found.
const maxBranches = 1 << 20

// A headerIndex knows of each block of a Directory its height, and whether it lost. Blocks are
// numbered as they stand in the files.
//
// A block's height is one more than its parent's. Where the parent is not in the directory, as in
// that of a pruned node, the block's height is what its coinbase names (BIP 34); before that it is
// not known.
//
// A block lost if another branch from one of its ancestors has more work: the sum, over the blocks
// of the branch whose hash meets their target, of how many hashes that takes (GetBlockProof of
// Bitcoin Core's src/chain.cpp). Of two branches with the same work the one counts whose last block
// comes first. Sums are rounded to 53 bits.
type headerIndex struct {
	heights chunks[int32] // -1: not known
	lost    bitset
	forked  bitset         // blocks beside others behind the same parent
	orphans map[int32]bool // blocks whose parents are not there
	n       int32
}

func (x *headerIndex) height(i int32) int32 { return *x.heights.at(i) }

// A node of the tree of headers.
type headerNode struct {
	parent int32   // or -1
	work   float64 // of the block alone, then up to it from its root
}

// An orphan is a block whose parent has not been read, or is not there.
type orphan struct {
	i      int32
	file   int // of the directory
	offset int64
}

// A headerReader makes a headerIndex.
type headerReader struct {
	d       *Directory
	x       *headerIndex
	set     *utxo.Set // of the number of each block, by its hash
	nodes   chunks[headerNode]
	orphans map[chainhash.Hash][]orphan // by the hash of the parent
	waiting int                         // orphans
}

// newHeaderIndex reads the headers of all files of d.
func newHeaderIndex(d *Directory) (*headerIndex, error) {
	r := &headerReader{d: d, x: &headerIndex{}, set: utxo.NewSet(d.space),
		orphans: make(map[chainhash.Hash][]orphan)}
	defer r.set.Close()
	for i := range d.files {
		if err := r.file(i); err != nil {
			return nil, err
		}
	}
	r.set.Forget()
	if err := r.heights(); err != nil {
		return nil, err
	}
	if err := r.branches(); err != nil {
		return nil, err
	}
	return r.x, nil
}

// file reads the headers of a file. What is wrong with it is left in its blocksFile, for its
// reader to say; an error here is another one.
func (r *headerReader) file(i int) error {
	d := r.d
	bf := &d.files[i]
	bf.first = r.x.n
	name := d.blk(i)
	f, err := os.Open(name)
	if err != nil {
		bf.err = fmt.Errorf("%s: %w", name, framing.Bare(err))
		return nil
	}
	defer f.Close()
	w := framing.Walk{Form: d.blockFraming(name), File: f, Size: bf.size}
	for {
		at, _, err := w.Next()
		if err == io.EOF {
			break
		}
		var head []byte
		if err == nil {
			head, err = w.Window.Bytes(at+8, wireform.HeaderSize)
		}
		if err != nil {
			bf.err = err
			break
		}
		b := bytes.Clone(head)
		framing.Unmask(b, d.key, at+8)
		if err := r.block(wireform.ParseHeader(b), orphan{r.x.n, i, at}); err != nil {
			return &rows.Error{File: name, Offset: at, Err: err}
		}
	}
	bf.count = r.x.n - bf.first
	return nil
}

// block adds the next block, which is at that place.
func (r *headerReader) block(h wireform.Header, at orphan) error {
	if r.x.n == maxIndexed {
		return fmt.Errorf("more than %d blocks", maxIndexed)
	}
	r.x.n++
	node := headerNode{parent: -1}
	if consensus.Worked(&h) && r.d.network.Misfit(&h) == "" {
		node.work = work(h.Bits)
	}
	if h.Prev != (chainhash.Hash{}) {
		parent, ok, err := r.set.Block(h.Prev)
		if err != nil {
			return err
		}
		if ok {
			node.parent = parent
		} else {
			if r.waiting == maxWaiting {
				return fmt.Errorf("%d blocks before it have no parent before them: more than that are not kept",
					maxWaiting)
			}
			r.orphans[h.Prev] = append(r.orphans[h.Prev], at)
			r.waiting++
		}
	}
	r.nodes.append(node)
	height := int32(unknownHeight)
	if h.Hash == r.d.network.Genesis() {
		height = 0
	}
	r.x.heights.append(height)
	if _, again, err := r.set.Block(h.Hash); again || err != nil {
		return err // the first one is the parent of those that follow
	}
	for _, child := range r.orphans[h.Hash] {
		r.nodes.at(child.i).parent = at.i
		r.waiting--
	}
	delete(r.orphans, h.Hash)
	return r.set.AddBlock(h.Hash, at.i)
}

// unknownHeight is that of a block until it is known.
const unknownHeight = -1

// work is how many hashes it takes to meet the target of those bits, of which target has said that
// they are some: 2^256 / (target + 1), without the one.
func work(bits uint32) float64 {
	return math.Ldexp(1/float64(bits&0x7fffff), 256-8*(int(bits>>24)-3))
}

// heights sets the heights of all blocks, and makes the work of each that of its branch.
func (r *headerReader) heights() error {
	roots := make(map[int32]int32)
	r.x.orphans = make(map[int32]bool)
	r.x.forked = newBitset(r.x.n)
	for _, all := range r.orphans {
		for _, o := range all {
			height, err := r.d.coinbaseHeight(o.file, o.offset)
			if err != nil {
				return err
			}
			roots[o.i] = height
			r.x.orphans[o.i] = true
			if len(all) > 1 {
				r.x.forked.set(o.i)
			}
		}
	}
	r.orphans = nil
	done := newBitset(r.x.n)
	for i := range r.x.n {
		// Up to a block that is done, or to a root, turning the links around; then back.
		child, at := int32(-1), i
		for at >= 0 && !done.has(at) {
			node := r.nodes.at(at)
			child, at, node.parent = at, node.parent, child
		}
		for child >= 0 {
			node := r.nodes.at(child)
			next := node.parent
			node.parent = at
			h := r.x.heights.at(child)
			if at >= 0 {
				node.work += r.nodes.at(at).work
				*h = unknownHeight
				if up := r.x.height(at); up >= 0 && up < math.MaxInt32 {
					*h = up + 1
				}
			} else if height, ok := roots[child]; ok {
				*h = height
			}
			done.set(child)
			child, at = next, child
		}
	}
	return nil
}

// branches finds the blocks that lost. Of each tree the branch is taken that has the most work,
// down to its root; a branch of less work that meets it, or one that lost, lost.
func (r *headerReader) branches() error {
	n := r.x.n
	inner, forks := newBitset(n), newBitset(n)
	for i := range n {
		if p := r.nodes.at(i).parent; p >= 0 {
			if inner.has(p) {
				forks.set(p)
			}
			inner.set(p)
		}
	}
	for i := range n {
		if p := r.nodes.at(i).parent; p >= 0 && forks.has(p) {
			r.x.forked.set(i)
		}
	}
	var tips []int32
	for i := range n {
		if !inner.has(i) {
			if len(tips) == maxBranches {
				return fmt.Errorf("%s: more than %d branches of blocks", r.d.path, maxBranches)
			}
			tips = append(tips, i)
		}
	}
	slices.SortStableFunc(tips, func(a, b int32) int {
		return cmp.Compare(r.nodes.at(b).work, r.nodes.at(a).work)
	})
	r.x.lost = newBitset(n)
	seen := newBitset(n)
	for _, tip := range tips {
		at := tip
		for at >= 0 && !seen.has(at) {
			seen.set(at)
			at = r.nodes.at(at).parent
		}
		if at < 0 {
			continue // the first branch that reaches this root
		}
		for b := tip; b != at; b = r.nodes.at(b).parent {
			r.x.lost.set(b)
		}
	}
	return nil
}

// coinbaseHeight is the height that the coinbase of a block names, or -1.
func (d *Directory) coinbaseHeight(file int, offset int64) (int32, error) {
	name := d.blk(file)
	f, err := os.Open(name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, framing.Bare(err))
	}
	defer f.Close()
	b := make([]byte, 8+wireform.HeaderSize+64)
	n, err := f.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		return 0, &rows.Error{File: name, Offset: offset, Err: framing.Bare(err)}
	}
	framing.Unmask(b, d.key, offset)
	c := wireform.Cursor{Data: b[:n], At: 8 + wireform.HeaderSize}
	if c.Transactions(); c.Err != nil {
		return unknownHeight, nil
	}
	if version := int32(binary.LittleEndian.Uint32(b[8:])); version < 2 {
		return unknownHeight, nil
	}
	c.Bytes(4, "")
	if b[c.At] == 0 && b[c.At+1] == 1 { // marker and flag; b is longer, whatever n is
		c.At += 2
	}
	c.Bytes(1+36, "")
	c.CompactSize("")
	if c.Err != nil {
		return unknownHeight, nil
	}
	return wireform.CoinbaseHeight(c.Data[c.At:]), nil
}

// chunks are a slice that grows without being copied.
type chunks[T any] struct {
	parts [][]T
	n     int32
}

const chunkSize = 1 << 15

func (c *chunks[T]) append(v T) {
	if c.n%chunkSize == 0 {
		c.parts = append(c.parts, make([]T, chunkSize))
	}
	c.n++
	*c.at(c.n - 1) = v
}

func (c *chunks[T]) at(i int32) *T { return &c.parts[i/chunkSize][i%chunkSize] }

// A bitset is a set of numbers from 0 on.
type bitset []uint64

func newBitset(n int32) bitset    { return make(bitset, (int(n)+63)/64) }
func (s bitset) set(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }
