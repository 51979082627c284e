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
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// maxIndexed is the maximum number of blocks in a Directory. Each block takes at most 28 bytes of
// memory while the headers are read. The longest chain, testnet3, has five million blocks.
const maxIndexed = 6 << 20

// maxWaiting is the maximum number of blocks that may wait for their parents while the headers are
// read. Bitcoin Core requests blocks that are up to 1,024 ahead of the last connected block.
const maxWaiting = 1 << 15

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
// If the files have several copies of a block, one of them counts (see copyChooser). The others are
// spare. They are stale and have no children.
type headerIndex struct {
	heights chunks[int32] // height by index number, or unknownHeight
	lost    bitset
	spare   bitset
	forked  bitset         // blocks whose parents have further children
	orphans map[int32]bool // blocks whose parents are missing
	n       int32
}

func (x *headerIndex) height(i int32) int32 { return *x.heights.at(i) }

// noParent and isGenesis replace the index number of a block's parent if the parent is missing, or
// if the block is the network's genesis block.
const (
	noParent  = -1
	isGenesis = -2
)

// An orphan is a block whose parent has not been read yet or is missing.
type orphan struct {
	i      int32
	file   int // index of the block's file in the directory
	offset int64
}

// A headerReader builds a headerIndex.
type headerReader struct {
	d      *Directory
	x      *headerIndex
	hashes *hashTable
	// parents has the index number of each block's parent, noParent or isGenesis. works has the
	// expected number of hashes: of the block alone, later of its branch up to it.
	parents chunks[int32]
	works   chunks[float64]
	orphans map[chainhash.Hash][]orphan // orphans by the hash of their parent
	waiting int                         // number of orphans
	copies  []blockCopy                 // in the order of the files
}

// newHeaderIndex reads the headers in all files of d.
func newHeaderIndex(d *Directory) (*headerIndex, error) {
	r := &headerReader{d: d, x: &headerIndex{}, hashes: newHashTable(),
		orphans: make(map[chainhash.Hash][]orphan)}
	for i := range d.files {
		if err := r.file(i); err != nil {
			return nil, err
		}
	}
	r.hashes = nil // frees its memory for what follows
	if err := r.chooseCopies(); err != nil {
		return nil, err
	}
	if err := r.heights(); err != nil {
		return nil, err
	}
	if err := r.branches(); err != nil {
		return nil, err
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
		at, _, err := w.Next()
		if err == io.EOF {
			break
		}
		var head []byte
		if err == nil {
			head, err = w.Bytes(at+8, wireform.HeaderSize)
		}
		if err != nil {
			bf.err = err
			break
		}
		b := bytes.Clone(head)
		framing.Unmask(b, d.key, at+8)
		if err := r.block(wireform.ParseHeader(b), orphan{r.x.n, i, at}); err != nil {
			return &reading.Error{File: name, Offset: at, Err: err}
		}
	}
	bf.count = r.x.n - bf.first
	return nil
}

// block adds the next block, with header h. entry holds its index number and its position in the
// files.
func (r *headerReader) block(h wireform.Header, entry orphan) error {
	if r.x.n == maxIndexed {
		return fmt.Errorf("more than %d blocks", maxIndexed)
	}
	r.x.n++
	expected := 0.0
	if consensus.Worked(&h) && r.d.network.Misfit(&h) == "" {
		expected = work(h.Bits)
	}
	r.works.append(expected)
	parent := int32(noParent)
	switch {
	case h.Hash == r.d.network.Genesis():
		parent = isGenesis
	case h.Prev != (chainhash.Hash{}):
		var ok bool
		if parent, ok = r.hashes.find(h.Prev); ok {
			break
		}
		if r.waiting == maxWaiting {
			return fmt.Errorf("%d blocks before it have no parent before them: more than that are not kept",
				maxWaiting)
		}
		parent = noParent
		r.orphans[h.Prev] = append(r.orphans[h.Prev], entry)
		r.waiting++
	}
	r.parents.append(parent)
	if first, again := r.hashes.add(h.Hash); again {
		if len(r.copies) == maxCopies {
			return fmt.Errorf("more than %d copies of blocks", maxCopies)
		}
		r.copies = append(r.copies, blockCopy{entry.i, first})
		return nil // the first copy of a block has its children
	}
	for _, child := range r.orphans[h.Hash] {
		*r.parents.at(child.i) = entry.i
		r.waiting--
	}
	delete(r.orphans, h.Hash)
	return nil
}

// unknownHeight marks blocks without a known height.
const unknownHeight = -1

// work returns the expected number of hashes to meet the target that bits encode, which is 2^256 /
// (target + 1). The target must be valid and not zero.
func work(bits uint32) float64 {
	return math.Ldexp(1/float64(bits&0x7fffff), 256-8*(int(bits>>24)-3))
}

// heights computes the height of each block, and adds to each block's work the work of its
// ancestors.
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
	for range r.x.n {
		r.x.heights.append(unknownHeight)
	}
	for i := range r.x.n {
		// Walk from block i up to a block whose height is known already, or to a root, and reverse
		// the links on the way. Then walk back and compute the height of each block.
		child, at := int32(-1), i
		for at >= 0 && !done.has(at) {
			parent := r.parents.at(at)
			child, at, *parent = at, *parent, child
		}
		for child >= 0 {
			parent := r.parents.at(child)
			next := *parent
			*parent = at
			h := r.x.heights.at(child)
			if at >= 0 {
				*r.works.at(child) += *r.works.at(at)
				*h = unknownHeight
				if up := r.x.height(at); up >= 0 && up < math.MaxInt32 {
					*h = up + 1
				}
			} else if at == isGenesis {
				*h = 0
			} else if height, ok := roots[child]; ok {
				*h = height
			}
			done.set(child)
			child, at = next, child
		}
	}
	return nil
}

// branches finds the stale blocks. In each tree, the best branch is the one with the most work from
// the root to its last block. The blocks of any other branch are stale, from its last block back to
// the first block that it shares with the best branch or with a stale branch.
func (r *headerReader) branches() error {
	n := r.x.n
	inner, forks := newBitset(n), newBitset(n)
	for i := range n {
		if p := *r.parents.at(i); p >= 0 {
			if inner.has(p) {
				forks.set(p)
			}
			inner.set(p)
		}
	}
	for i := range n {
		if p := *r.parents.at(i); p >= 0 && forks.has(p) {
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
	slices.SortStableFunc(tips, func(a, b int32) int {
		return cmp.Compare(*r.works.at(b), *r.works.at(a))
	})
	r.x.lost = slices.Clone(r.x.spare)
	seen := newBitset(n)
	for _, tip := range tips {
		at := tip
		for at >= 0 && !seen.has(at) {
			seen.set(at)
			at = *r.parents.at(at)
		}
		if at < 0 {
			continue // the first tip of a tree, so its best branch
		}
		for b := tip; b != at; b = *r.parents.at(b) {
			r.x.lost.set(b)
		}
	}
	return nil
}

// coinbaseHeight returns the height that the coinbase of a block encodes, or -1 if it encodes none.
// offset is the offset of the block's record in the file.
func (d *Directory) coinbaseHeight(file int, offset int64) (int32, error) {
	name := d.blk(file)
	f, err := os.Open(name)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, reading.Bare(err))
	}
	defer f.Close()
	b := make([]byte, 8+wireform.HeaderSize+64)
	n, err := f.ReadAt(b, offset)
	if err != nil && err != io.EOF {
		return 0, &reading.Error{File: name, Offset: offset, Err: reading.Bare(err)}
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
	if b[c.At] == 0 && b[c.At+1] == 1 { // marker and flag; b is long enough for any c.At here
		c.At += 2
	}
	c.Bytes(1+36, "")
	c.CompactSize("")
	if c.Err != nil {
		return unknownHeight, nil
	}
	return wireform.CoinbaseHeight(c.Data[c.At:]), nil
}

// A bitset is a set of non-negative integers.
type bitset []uint64

func newBitset(n int32) bitset    { return make(bitset, (int(n)+63)/64) }
func (s bitset) set(i int32)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) clear(i int32)    { s[i/64] &^= 1 << (i % 64) }
func (s bitset) has(i int32) bool { return s[i/64]>>(i%64)&1 != 0 }
