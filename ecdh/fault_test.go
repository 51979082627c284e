package ecdh

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// TestFault changes each bit of the peer's point. The result must be an error: on another curve the
// product could reveal the key.
func TestFault(t *testing.T) {
	key, peer := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	var bits secrettest.Bits
	bits.AddEvery(1, "point", (*keys.Public)(peer).Affine())
	for i := range bits {
		bits.Flip(i)
		dst := make([]byte, 0, 32)
		out, err := AppendSharedX(dst, key, peer)
		if len(out) != 0 || err != errFault || [32]byte(dst[:32]) != [32]byte{} {
			t.Fatalf("bit %d: %x, %v", i, out, err)
		}
		bits.Flip(i)
	}
	if _, err := SharedX(key, peer); err != nil {
		t.Error(err)
	}
}
