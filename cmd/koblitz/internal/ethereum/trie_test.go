package ethereum

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
)

// plainRoot computes the root of a list directly from the yellow paper's definition (appendix D,
// functions c and n).
func plainRoot(items [][]byte) [32]byte {
	values := map[string][]byte{}
	for i, item := range items {
		key, err := rlp.EncodeToBytes(uint64(i))
		if err != nil {
			panic(err)
		}
		values[fmt.Sprintf("%x", key)] = item // the key with one hexadecimal digit per nibble
	}
	if len(values) == 0 {
		return crypto.Keccak256Hash([]byte{0x80})
	}
	return crypto.Keccak256Hash(plainNode(values, 0))
}

// plainNode returns the encoding of the node whose subtrie holds values. All keys share their first
// hexadecimal digits, and depth is the number of these digits.
func plainNode(values map[string][]byte, depth int) []byte {
	prefix := ""
	for key := range values {
		prefix = key
	}
	for key := range values {
		for !strings.HasPrefix(key, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	embedded := func(node []byte) any {
		if len(node) < 32 {
			return rlp.RawValue(node)
		}
		return crypto.Keccak256(node)
	}
	var fields []any
	switch {
	case len(values) == 1:
		fields = []any{hexPrefix(prefix[depth:], 2), values[prefix]}
	case len(prefix) > depth:
		fields = []any{hexPrefix(prefix[depth:], 0), embedded(plainNode(values, len(prefix)))}
	default:
		for _, digit := range "0123456789abcdef" {
			below := map[string][]byte{}
			for key, value := range values {
				if rune(key[depth]) == digit {
					below[key] = value
				}
			}
			if len(below) == 0 {
				fields = append(fields, []byte{})
			} else {
				fields = append(fields, embedded(plainNode(below, depth+1)))
			}
		}
		fields = append(fields, []byte{})
	}
	b, err := rlp.EncodeToBytes(fields)
	if err != nil {
		panic(err)
	}
	return b
}

func hexPrefix(digits string, flag int) []byte {
	if len(digits)%2 == 1 {
		digits = fmt.Sprint(flag+1) + digits
	} else {
		digits = fmt.Sprint(flag) + "0" + digits
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return b
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
	x := newExpander(nil)
	for _, size := range []int{1, 20, 27, 28, 29, 30, 31, 32, 33, 60, 200} {
		for _, n := range lengths {
			if size != 28 && size != 60 && n > 150 {
				continue
			}
			var list [][]byte
			var leaves []*leaf
			for i := range n {
				item := bytes.Repeat([]byte{byte(i) | 1, byte(i >> 8)}, size)[:size]
				list = append(list, item)
				leaves = append(leaves, x.newLeaf(i, item))
			}
			got, ok := x.root(leaves)
			if want := plainRoot(list); !ok || got != want {
				t.Fatalf("%d items of %d bytes: %x, %v, want %x", n, size, got, ok, want)
			}
		}
	}
	if _, ok := x.root([]*leaf{x.newLeaf(0, []byte{1}), nil}); ok {
		t.Error("a root without an item")
	}
}
