package ethereum

import (
	"bytes"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum/ethereumtest"
)

// plainRoot computes the root of a list with ethereumtest.Trie.
func plainRoot(items [][]byte) [32]byte {
	t := ethereumtest.Trie{}
	for i, item := range items {
		t.Update(must(rlp.EncodeToBytes(uint64(i))), item)
	}
	return t.Hash()
}

// TestRoot checks that root returns the same as plainRoot, which follows the definition literally,
// for lists of every length. Some items are shorter than 32 bytes, so that their nodes are embedded
// in their parents. TestExport checks real roots.
func TestRoot(t *testing.T) {
	lengths := []int{0, 1, 2, 3, 15, 16, 17, 18, 31, 32, 33, 126, 127, 128, 129, 130, 143, 144, 145,
		146, 255, 256, 257, 258, 271, 272, 273, 300, 511, 512, 513, 514, 4095, 4096, 4097, 4098}
	if os.Getenv("KOBLITZ_DEEP") != "" {
		for n := range 320 {
			lengths = append(lengths, n)
		}
	}
	for _, size := range []int{1, 20, 27, 28, 29, 30, 31, 32, 33, 60, 200} {
		for _, n := range lengths {
			if size != 28 && size != 60 && n > 150 {
				continue
			}
			var list [][]byte
			for i := range n {
				item := bytes.Repeat([]byte{byte(i) | 1, byte(i >> 8)}, size)[:size]
				list = append(list, item)
			}
			if got, want := root(list), plainRoot(list); got != want {
				t.Fatalf("%d items of %d bytes: %x, want %x", n, size, got, want)
			}
		}
	}
}
