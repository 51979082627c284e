package point_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// LiftX returns the one of the two points with this x coordinate whose y is even.
func ExampleAffine_LiftX() {
	var a point.Affine
	fmt.Println(a.LiftX(new(field.Element).SetUint64(1), 0), a.Y.IsOdd(), a.IsOnCurve())
	fmt.Println(a.LiftX(new(field.Element).SetUint64(5), 0)) // no point has it
	// Output:
	// 1 0 1
	// 0
}
