package schnorr_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// TestTaggedHash checks TaggedHash against package reference. The hash depends on the
// concatenation of the parts only.
func TestTaggedHash(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, tag := range []string{"", "TapLeaf", "BIP0340/challenge", string(reference.Bytes(r, 100))} {
		for n := range 200 {
			msg := reference.Bytes(r, n)
			a, b := msg[:n/3], msg[n/3:]
			want := reference.TaggedHash(tag, msg)
			for _, parts := range [][][]byte{{msg}, {a, b}, {nil, a, {}, b}} {
				if got := schnorr.TaggedHash(tag, parts...); !bytes.Equal(got[:], want) {
					t.Fatalf("tag %q, %d parts of %d bytes: %x, want %x", tag, len(parts), n, got, want)
				}
			}
		}
		if got := schnorr.TaggedHash(tag); !bytes.Equal(got[:], reference.TaggedHash(tag)) {
			t.Errorf("tag %q, no parts: %x", tag, got)
		}
	}
	a, b := reference.Bytes(r, 32), reference.Bytes(r, 32)
	if allocs := testing.AllocsPerRun(5, func() { schnorr.TaggedHash("tag", a, b) }); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkTaggedHash(b *testing.B) {
	x, y := make([]byte, 32), make([]byte, 32)
	b.ReportAllocs()
	for b.Loop() {
		schnorr.TaggedHash("TapBranch", x, y)
	}
}
