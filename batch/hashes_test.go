package batch_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/hash"
)

// hashFunctions holds the functions that hash many messages, each together with a function that
// hashes one message.
var hashFunctions = []struct {
	name  string
	many  func(dst [][32]byte, messages [][]byte) [][32]byte
	one   func(message []byte) [32]byte
	empty string // the hash of no bytes
}{
	{"SHA256", batch.AppendSHA256, sha256.Sum256,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"DoubleSHA256", batch.AppendDoubleSHA256, func(message []byte) [32]byte {
		once := sha256.Sum256(message)
		return sha256.Sum256(once[:])
	}, "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456"},
	{"Keccak256", batch.AppendKeccak256, func(message []byte) (digest [32]byte) {
		hash.Keccak256(&digest, message)
		return digest
	}, "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"},
}

// TestAppend checks that each digest is right, for numbers of messages near the number of lanes and
// for lengths near the size of a block. It also checks that dst keeps its contents, and that a dst
// with room is not reallocated.
func TestAppend(t *testing.T) {
	data := make([]byte, 1000)
	random := rand.NewChaCha8([32]byte{1})
	random.Read(data)
	for _, f := range hashFunctions {
		for _, n := range []int{0, 1, 2, 7, 8, 9, 15, 16, 17, 100} {
			messages := make([][]byte, n)
			for i := range messages {
				messages[i] = data[i%3:][:random.Uint64()%uint64(len(data)-2)]
			}
			before := [][32]byte{{1}, {2}}
			got := f.many(slices.Clone(before), messages)
			want := before
			for _, m := range messages {
				want = append(want, f.one(m))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s of %d messages: %x, want %x", f.name, n, got, want)
			}
			room := make([][32]byte, 0, n)
			if allocs := testing.AllocsPerRun(5, func() { f.many(room, messages) }); allocs > 0 {
				t.Errorf("%s of %d messages: %v allocations", f.name, n, allocs)
			}
		}
		if got := fmt.Sprintf("%x", f.many(nil, [][]byte{nil})[0]); got != f.empty {
			t.Errorf("%s of no bytes: %s, want %s", f.name, got, f.empty)
		}
	}
}

func ExampleAppendKeccak256() {
	messages := [][]byte{[]byte("one"), []byte("two")}
	for i, digest := range batch.AppendKeccak256(nil, messages) {
		fmt.Printf("%s %x\n", messages[i], digest[:4])
	}
	// Output:
	// one 23dc111d
	// two 332c39dc
}
