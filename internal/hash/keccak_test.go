package hash

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestKeccak256 checks that messages of every length up to three blocks have the digests that
// package reference computes.
func TestKeccak256(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for n := range 3*keccakRate + 2 {
		msg := make([]byte, n)
		for i := range msg {
			msg[i] = byte(r.Uint32())
		}
		got := random(r) // old contents, which Keccak256 must overwrite
		Keccak256(&got, msg)
		if want := reference.Keccak256(msg, 1); !bytes.Equal(got[:], want) {
			t.Fatalf("the hash of %x is %x, want %x", msg, got, want)
		}
	}
}

// TestKeccakVectors checks that Keccak256 computes the digests published by the Keccak team
// (ShortMsgKAT_256.txt of the submission's version 3.0).
func TestKeccakVectors(t *testing.T) {
	for msg, want := range map[string]string{
		"":                 "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"\xcc":             "eead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a",
		"\x41\xfb":         "a8eaceda4d47b3281a795ad9e1ea2122b407baf9aabcb9e18b5717b7873537d2",
		"\xc1\xec\xfd\xfc": "b149e766d7612eaf7d55f74e1a4fdd63709a8115b14f61fcd22aa4abc8b8e122",
	} {
		var got [32]byte
		Keccak256(&got, []byte(msg))
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("the hash of %x is %x, want %s", msg, got, want)
		}
	}
}

// TestKeccakPermute checks that the permutation maps random states as that of package reference
// does, and the zero state to the state published by the Keccak team
// (KeccakF-1600-IntermediateValues.txt).
func TestKeccakPermute(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 200 {
		var a [25]uint64
		var want [5][5]uint64
		for j := range a {
			if i > 0 {
				a[j] = r.Uint64()
			}
			want[j%5][j/5] = a[j]
		}
		keccakPermute(&a)
		reference.KeccakPermute(&want)
		for j := range a {
			if a[j] != want[j%5][j/5] {
				t.Fatalf("lane %d is %x, want %x", j, a[j], want[j%5][j/5])
			}
		}
		if i == 0 && (a[0] != 0xf1258f7940e1dde7 || a[24] != 0xeaf1ff7b5ceca249) {
			t.Errorf("zeros become %x … %x", a[0], a[24])
		}
	}
}

func BenchmarkKeccak256(b *testing.B) {
	for _, size := range []int{64, 1352} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var out [32]byte
			msg := make([]byte, size)
			b.ReportAllocs()
			for b.Loop() {
				Keccak256(&out, msg)
			}
		})
	}
}
