package bitcoin

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// maxIndexed is the maximum number of blocks in a Directory. Each block takes at most 28 bytes of
// memory while the headers are read. The longest chain, testnet3, has five million blocks.
const maxIndexed = 6 << 20

// maxBranches is the maximum number of branches in a Directory. Each branch takes 4 more bytes of
// memory while the stale blocks are determined.
const maxBranches = 1 << 20

// A headerIndex holds the height of each block and whether the block is stale. A block's index
// number is its position among all blocks of the files, counted from 0.
//
// The height of a block is one more than the height of its parent. If the parent is missing, as in
// the folder of a pruned node, the height is the one in the block's coinbase (BIP 34), or is
// unknown for blocks before BIP 34.
//
// A block is stale if another branch that begins at one of its ancestors has more work. The work of
// a branch is the expected number of hashes needed to mine its blocks (GetBlockProof in Bitcoin
// Core's src/chain.cpp). Blocks whose hash is above their target do not count. Of branches with
// equal work, the one whose last block comes first wins. Sums are rounded to 53 bits.
//
// If the files have several copies of a block, one of them counts (see chooseCopies). The others
// are spare, and stale.
type headerIndex struct {
	heights chunks[int32] // height by index number, or unknownHeight
	lost    bitset        // stale blocks
	spare   bitset
	forked  bitset // blocks whose parents have further children, or are missing
	orphans bitset // blocks whose parents are missing
	n       int32
}

func (x *headerIndex) height(i int32) int32 { return *x.heights.at(i) }

const (
	unknownHeight = -1 // height of a block without a known height
	noParent      = -1 // index number for a parent that is missing, or the genesis block's
)

// A headerReader builds a headerIndex.
//
// It stores hashes of blocks as prints: 64 bits from a hash function with a random seed, so that no
// input can contain two hashes that have the same print on purpose. Two of n hashes have the same
// print with a probability of n²/2⁶⁵: 3 in 10⁸ for a million blocks.
type headerReader struct {
	d       *Directory
	x       *headerIndex // its heights are those in the coinbases until heights has run
	seed    maphash.Seed
	prints  chunks[uint64] // print of each block's hash
	parents chunks[uint64] // print of its parent's hash; after link, the parent's index number
	bits    chunks[uint32] // its difficulty bits, or 0 if its work does not count
	works   []float64      // expected number of hashes of its branch up to it
}

// newHeaderIndex reads the headers in all files of d.
func newHeaderIndex(d *Directory) (*headerIndex, error) {
	r := &headerReader{d: d, x: &headerIndex{}, seed: maphash.MakeSeed()}
	for i := range d.files {
		if err := r.file(i); err != nil {
			return nil, err
		}
	}
	copies, err := r.link()
	if err != nil {
		return nil, err
	}
	r.prints = chunks[uint64]{} // frees its memory for what follows
	chosen, err := r.chooseCopies(copies)
	if err != nil {
		return nil, err
	}
	r.heights()
	if err := r.branches(); err != nil {
		return nil, err
	}
	for first, n := range chosen {
		if n == first {
			continue
		}
		if !r.x.lost.has(first) {
			r.x.lost.clear(n)
		}
		r.x.spare.clear(n)
		r.x.lost.set(first)
		r.x.spare.set(first)
	}
	return r.x, nil
}

// file reads the headers of file i. If the content is wrong, it stores the error in the file's
// blocksFile, so that the file's reader reports it. It returns other errors.
func (r *headerReader) file(i int) error {
	d := r.d
	bf := &d.files[i]
	bf.first = r.x.n
	name := d.blk(i)
	f, err := os.Open(name)
	if err != nil {
		bf.err = fmt.Errorf("%s: %w", name, reading.Bare(err))
		return nil
	}
	defer f.Close()
	w := framing.NewWalk(d.blockFraming(name), f, bf.size)
	for {
		at, size, err := w.Next()
		if err == io.EOF {
			break
		}
		var head []byte
		if err == nil {
			head, err = w.Bytes(at+framing.HeadSize, min(int(size), wireform.HeaderSize+64))
		}
		if err != nil {
			bf.err = err
			break
		}
		if r.x.n == maxIndexed {
			return &reading.Error{File: name, Offset: at, Err: fmt.Errorf("more than %d blocks",
				maxIndexed)}
		}
		b := bytes.Clone(head)
		framing.Unmask(b, d.key, at+framing.HeadSize)
		r.block(b)
	}
	bf.count = r.x.n - bf.first
	return nil
}

// block adds the next block, which begins with b.
func (r *headerReader) block(b []byte) {
	r.x.n++
	h := wireform.ParseHeader(b)
	r.prints.append(maphash.Comparable(r.seed, h.Hash))
	r.parents.append(maphash.Comparable(r.seed, h.Prev))
	if !consensus.Worked(&h) || r.d.network.Misfit(&h) != "" {
		h.Bits = 0
	}
	r.bits.append(h.Bits)
	height := int32(unknownHeight)
	if h.Hash == r.d.network.Genesis() {
		height = 0
	} else if script, ok := wireform.CoinbaseScript(b); ok && h.Version >= 2 && h.Prev != root {
		height = wireform.CoinbaseHeight(script)
	}
	r.x.heights.append(height)
}

// root is the hash that a block without a parent names as its parent.
var root chainhash.Hash

// link replaces the prints in r.parents by index numbers, and finds the blocks whose parents are
// missing. It returns the copies of blocks. All but the first copy of each are spare until
// newHeaderIndex exchanges them for the copies that count.
func (r *headerReader) link() (copies []blockCopy, err error) {
	n := r.x.n
	order := make([]int32, n)
	for i := range n {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int32) int {
		if c := cmp.Compare(*r.prints.at(a), *r.prints.at(b)); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	r.x.orphans = newBitset(n)
	none := maphash.Comparable(r.seed, root)
	for i := range n {
		parent := r.parents.at(i)
		k, ok := slices.BinarySearchFunc(order, *parent, func(i int32, print uint64) int {
			return cmp.Compare(*r.prints.at(i), print)
		})
		if ok {
			*parent = uint64(order[k])
			continue
		}
		if *parent != none {
			r.x.orphans.set(i)
		}
		*parent = math.MaxUint64 // noParent
	}
	r.x.spare = newBitset(n)
	first := int32(0)
	for k, i := range order {
		if k == 0 || *r.prints.at(i) != *r.prints.at(order[k-1]) {
			first = i
			continue
		}
		if len(copies) >= maxCopies {
			return nil, fmt.Errorf("%s: more than %d copies of blocks", r.d.path, maxCopies)
		}
		if order[k-1] == first {
			copies = append(copies, blockCopy{first, first})
		}
		copies = append(copies, blockCopy{i, first})
		r.x.spare.set(i)
	}
	return copies, nil
}

// parent returns the index number of the parent of block i, or noParent.
func (r *headerReader) parent(i int32) int32 { return int32(*r.parents.at(i)) }

// work returns the expected number of hashes to meet the target that bits encode, which is 2^256 /
// (target + 1). The target must be valid and not zero.
func work(bits uint32) float64 {
	return math.Ldexp(1/float64(bits&0x7fffff), 256-8*(int(bits>>24)-3))
}

// heights computes the height of each block, and the work of its branch up to it.
func (r *headerReader) heights() {
	r.works = make([]float64, r.x.n)
	done := newBitset(r.x.n)
	var path []int32 // a block, its parent and so on, up to one whose height is not known yet
	for i := range r.x.n {
		for at := i; at >= 0 && !done.has(at); at = r.parent(at) {
			done.set(at)
			path = append(path, at)
		}
		for _, at := range slices.Backward(path) {
			if bits := *r.bits.at(at); bits != 0 {
				r.works[at] = work(bits)
			}
			up := r.parent(at)
			if up < 0 {
				continue
			}
			r.works[at] += r.works[up]
			height := int32(unknownHeight)
			if h := r.x.height(up); h >= 0 && h < math.MaxInt32 {
				height = h + 1
			}
			*r.x.heights.at(at) = height
		}
		path = path[:0]
	}
}

// branches finds the stale blocks. In each tree, the best branch is the one with the most work from
// the root to its last block. The blocks of any other branch are stale, from its last block back to
// the first block that it shares with the best branch or with a stale branch.
func (r *headerReader) branches() error {
	n := r.x.n
	inner, forks := newBitset(n), newBitset(n)
	for i := range n {
		if p := r.parent(i); p >= 0 {
			if inner.has(p) {
				forks.set(p)
			}
			inner.set(p)
		}
	}
	r.x.forked = slices.Clone(r.x.orphans)
	for i := range n {
		if p := r.parent(i); p >= 0 && forks.has(p) {
			r.x.forked.set(i)
		}
	}
	var tips []int32
	for i := range n {
		if !inner.has(i) && !r.x.spare.has(i) {
			if len(tips) == maxBranches {
				return fmt.Errorf("%s: more than %d branches of blocks", r.d.path, maxBranches)
			}
			tips = append(tips, i)
		}
	}
	slices.SortStableFunc(tips, func(a, b int32) int { return cmp.Compare(r.works[b], r.works[a]) })
	r.x.lost = slices.Clone(r.x.spare)
	seen := newBitset(n)
	for _, tip := range tips {
		at := tip
		for at >= 0 && !seen.has(at) {
			seen.set(at)
			at = r.parent(at)
		}
		if at < 0 {
			continue // the first tip of a tree, so its best branch
		}
		for b := tip; b != at; b = r.parent(b) {
			r.x.lost.set(b)
		}
	}
	return nil
}

// chunks is a list that grows without copying its elements.
type chunks[T any] struct {
	parts [][]T
	n     int32
}

const chunkSize = 1 << 12

func (c *chunks[T]) append(v T) {
	if c.n%chunkSize == 0 {
		c.parts = append(c.parts, make([]T, chunkSize))
	}
	c.n++
	*c.at(c.n - 1) = v
}

func (c *chunks[T]) at(i int32) *T { return &c.parts[i/chunkSize][i%chunkSize] }

// A bitset is a set of non-negative integers.
type bitset []uint64

func newBitset(n int32) bitset    { return make(bitset, (int(n)+63)/64) }
func (s bitset) set(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) clear(i int32)    { s[i/64] &^= 1 << (i % 64) }
func (s bitset) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }
