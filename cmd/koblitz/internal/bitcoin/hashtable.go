package bitcoin

import (
	"hash/maphash"

	"github.com/btcsuite/btcd/chainhash/v2"
)

// A hashTable finds the index number of a block by its hash, with 14 bytes of memory for a block.
// (A Go map from hashes takes 40 to 80, too many for the six million blocks of maxIndexed.)
//
// It keeps a print of each hash: 64 bits from a hash function with a random seed, so that no input
// can contain two hashes that have the same print on purpose. Two of n hashes have the same print
// with a probability of n²/2⁶⁵: 3 in 10⁸ for a million blocks.
type hashTable struct {
	seed   maphash.Seed
	prints chunks[uint64] // by index number

	// slots is a hash table with linear probing (Knuth, The Art of Computer Programming 3, §6.4),
	// whose size is a power of two. A slot holds an index number plus one, or 0 if it is free.
	slots []int32
	used  int // number of slots that are not free, at most three quarters
}

func newHashTable() *hashTable {
	return &hashTable{seed: maphash.MakeSeed(), slots: make([]int32, 1<<10)}
}

// slot returns the slot that holds a block with the given print, or the free slot for it.
func (t *hashTable) slot(print uint64) *int32 {
	mask := uint64(len(t.slots) - 1)
	for i := print & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; *s == 0 || *t.prints.at(*s - 1) == print {
			return s
		}
	}
}

// find returns the index number of the first block that was added with the given hash. ok is false
// if there is none.
func (t *hashTable) find(hash chainhash.Hash) (i int32, ok bool) {
	s := *t.slot(maphash.Comparable(t.seed, hash))
	return s - 1, s > 0
}

// add adds a block, whose index number is the number of blocks that were added before. If an
// earlier block has the same hash, add returns the first one's index number, and again is true.
func (t *hashTable) add(hash chainhash.Hash) (first int32, again bool) {
	print := maphash.Comparable(t.seed, hash)
	t.prints.append(print)
	s := t.slot(print)
	if *s > 0 {
		return *s - 1, true
	}
	*s = t.prints.n
	if t.used++; 4*t.used > 3*len(t.slots) {
		t.grow()
	}
	return *s - 1, false
}

// grow doubles the number of slots.
func (t *hashTable) grow() {
	old := t.slots
	t.slots = make([]int32, 2*len(old))
	for _, s := range old {
		if s > 0 {
			*t.slot(*t.prints.at(s - 1)) = s
		}
	}
}

// chunks is a list that grows without copying its elements.
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
