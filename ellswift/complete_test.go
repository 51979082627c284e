package ellswift

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// TestComplete checks that an encoder draws again after a u that is 0 modulo p, which Decode takes
// for 1, and that it keeps a u of p or more as drawn.
func TestComplete(t *testing.T) {
	p := (*keys.Public)(koblitz.GenerateKey().PublicKey()).Affine()
	key := new(koblitz.PublicKey)
	(*keys.Public)(key).SetAffine(p)
	// These are the numbers p, p + 1, …, up to 2^256 − 1, by their last four bytes.
	first := [32]byte{}
	for i := range 27 {
		first[i] = 0xff
	}
	found := 0
	for low := uint64(0xfefffffc2f); low < 0xfefffffc2f+64; low++ {
		for branch := range 8 {
			b := [Size]byte(append(first[:], make([]byte, 32)...))
			for i := range 5 {
				b[27+i] = byte(low >> (8 * (4 - i)))
			}
			u := [32]byte(b[:])
			if !complete(&b, p, branch) {
				continue
			}
			if found++; low == 0xfefffffc2f {
				t.Errorf("u = 0 is taken: %x", b)
			}
			if got, err := Decode(b[:]); err != nil || !got.Equal(key) || u != [32]byte(b[:]) {
				t.Errorf("%x encodes %v, %v", b, got, err)
			}
		}
	}
	if found < 40 {
		t.Errorf("%d encodings", found)
	}
	var zero [Size]byte
	for branch := range 8 {
		if complete(&zero, p, branch) {
			t.Errorf("u = 0 is taken: %x", zero)
		}
	}
}
