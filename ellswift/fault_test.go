package ellswift

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// TestFault changes each bit of the peer's point, between its decoding and the multiplication, and
// of the key. The changes must be found, unless the product stays the same.
func TestFault(t *testing.T) {
	var k, faulty scalar.Scalar
	var want, got [32]byte
	k.SetUint64(0x123456789)
	k.Neg(&k)
	var peer swiftec.X
	peer.SetBytes((*[Size]byte)(bytes.Repeat([]byte{7}, Size)))
	if !peer.Mult(&want, &k) {
		t.Fatal("a fault without a change")
	}
	for bit := range 8 * int(unsafe.Sizeof(peer)) {
		changed := peer
		flip(&changed, bit)
		if changed.Mult(&got, &k) && got != want || !changed.Mult(&got, &k) && got != [32]byte{} {
			t.Fatalf("bit %d of the point: %x", bit, got)
		}
	}
	key := keys.New(&k)
	for bit := range 256 {
		faulty = k
		flip(&faulty, bit)
		if key.Unchanged(&faulty) || !key.Unchanged(&k) {
			t.Fatalf("bit %d of the key", bit)
		}
	}
	private := koblitz.PrivateKey(key)
	if _, err := SharedSecret(&private, make([]byte, Size), make([]byte, Size), true); err != nil {
		t.Error(err)
	}
}

// flip changes a bit of *v, counted from its beginning.
func flip[T any](v *T, bit int) {
	unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))[bit/8] ^= 1 << (bit % 8)
}
