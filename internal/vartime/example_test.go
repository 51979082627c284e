package vartime_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// For P = G, 2·G + 3·P must equal 5·G.
func ExampleDoubleScalarMult() {
	var p point.Affine
	var r, want point.Jacobian
	p.SetGenerator()
	vartime.DoubleScalarMult(&r, new(scalar.Scalar).SetUint64(2), new(scalar.Scalar).SetUint64(3), &p)
	vartime.ScalarBaseMult(&want, new(scalar.Scalar).SetUint64(5))
	fmt.Println(r.Equal(&want).Bool())
	// Output: true
}
