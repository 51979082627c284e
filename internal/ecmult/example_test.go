package ecmult_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Two parties compute a common secret point (Diffie-Hellman).
func ExampleScalarMult() {
	var a, b scalar.Scalar
	a.SetUint64(0xa11ce)
	b.SetUint64(0xb0b)

	// Each party sends a·G or b·G to the other, in affine coordinates.
	var r point.Jacobian
	var aG, bG point.Affine
	ecmult.ScalarBaseMult(&r, &a)
	aG.SetJacobian(&r)
	ecmult.ScalarBaseMult(&r, &b)
	bG.SetJacobian(&r)

	var s, t point.Jacobian
	ecmult.ScalarMult(&s, &a, &bG)
	ecmult.ScalarMult(&t, &b, &aG)
	fmt.Println(s.Equal(&t).Bool())
	// Output: true
}
