package ellswift

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
	"github.com/koblitz-go/koblitz/internal/swiftec"
)

// TestFault changes each bit of the peer's point, between its decoding and the multiplication, and
// of the key. The changes must be found, unless the product stays the same.
func TestFault(t *testing.T) {
	var k scalar.Scalar
	var want, got [32]byte
	k.SetUint64(0x123456789)
	k.Neg(&k)
	var peer swiftec.X
	peer.SetBytes((*[Size]byte)(bytes.Repeat([]byte{7}, Size)))
	key, copied := keys.New(&k), k
	if !peer.Mult(&want, &k) || !key.Unchanged(&copied) {
		t.Fatal("a fault without a change")
	}
	var point, private secrettest.Bits
	point.AddEvery(1, "point", &peer)
	private.AddEvery(1, "key", &copied)
	for i := range point {
		point.Flip(i)
		if ok := peer.Mult(&got, &k); ok && got != want || !ok && got != [32]byte{} {
			t.Fatalf("bit %d of the point: %x", i, got)
		}
		point.Flip(i)
	}
	for i := range private {
		private.Flip(i)
		if key.Unchanged(&copied) {
			t.Fatalf("bit %d of the key", i)
		}
		private.Flip(i)
	}
	alive := koblitz.PrivateKey(key)
	if _, err := SharedSecret(&alive, make([]byte, Size), make([]byte, Size), true); err != nil {
		t.Error(err)
	}
}
