package ecdh

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
)

// TestFault changes each bit of the peer's point. The result must be an error: on another curve the
// product could reveal the key.
func TestFault(t *testing.T) {
	key, peer := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey()
	point := (*keys.Public)(peer).Affine()
	bits := unsafe.Slice((*byte)(unsafe.Pointer(point)), unsafe.Sizeof(*point))
	for bit := range 8 * len(bits) {
		bits[bit/8] ^= 1 << (bit % 8)
		dst := make([]byte, 0, 32)
		out, err := AppendSharedX(dst, key, peer)
		if len(out) != 0 || err != errFault || [32]byte(dst[:32]) != [32]byte{} {
			t.Fatalf("bit %d: %x, %v", bit, out, err)
		}
		bits[bit/8] ^= 1 << (bit % 8)
	}
	if _, err := SharedX(key, peer); err != nil {
		t.Error(err)
	}
}
