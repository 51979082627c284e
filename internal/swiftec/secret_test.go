package swiftec

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestTwist multiplies coordinates of points of the quadratic twist, which a fault of Decode could
// return. Mult must refuse them, and no others.
func TestTwist(t *testing.T) {
	var k scalar.Scalar
	k.SetUint64(12345)
	refused := 0
	for n := range uint64(40) {
		var r X
		r.n.SetUint64(n)
		r.d.One()
		r.setV()
		x := [32]byte{1}
		ok := r.Mult(&x, &k)
		if ok != r.v.IsSquareVartime() || !ok && x != [32]byte{} {
			t.Errorf("x = %d: %t, %x", n, ok, x)
		}
		if !ok {
			refused++
		}
	}
	if refused < 10 || refused > 30 {
		t.Errorf("%d of 40 coordinates are refused", refused)
	}
}
