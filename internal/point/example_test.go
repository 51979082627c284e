package point_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// Two points have this x coordinate. LiftX returns the point whose y has the given parity.
func ExampleAffine_LiftX() {
	var a point.Affine
	fmt.Println(a.LiftX(new(field.Element).SetUint64(1), 0), a.Y.IsOdd(), a.IsOnCurve())
	fmt.Println(a.LiftX(new(field.Element).SetUint64(5), 0)) // no point has this x
	// Output:
	// 1 0 1
	// 0
}
