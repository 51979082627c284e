package bitcoin

import (
	"encoding/binary"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
)

// TestHashTable checks that a hashTable finds the first block of every hash, while it grows and
// with hashes that differ in one byte only.
func TestHashTable(t *testing.T) {
	h := newHashTable()
	hashOf := func(i int) (hash chainhash.Hash) {
		binary.LittleEndian.PutUint32(hash[28:], uint32(i))
		return hash
	}
	const n = 10_000
	firsts := make([]int32, n)
	count := int32(0)
	for i := range n {
		if _, ok := h.find(hashOf(i)); ok {
			t.Fatalf("hash %d is found before it was added", i)
		}
		firsts[i] = count
		for copies := range 1 + i%3 {
			first, again := h.add(hashOf(i))
			if first != firsts[i] || again != (copies > 0) {
				t.Fatalf("hash %d, copy %d: %d, %v", i, copies, first, again)
			}
			count++
		}
		if 4*h.used > 3*len(h.slots) {
			t.Fatalf("%d slots of %d are used", h.used, len(h.slots))
		}
	}
	for i := range n {
		if first, ok := h.find(hashOf(i)); !ok || first != firsts[i] {
			t.Fatalf("hash %d: %d, %v, want %d", i, first, ok, firsts[i])
		}
	}
}
