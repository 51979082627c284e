package field_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/field"
)

func ExampleElement_Sqrt() {
	var x, root field.Element
	fmt.Println(root.Sqrt(x.SetUint64(4)), root.Limbs())
	fmt.Println(root.Sqrt(x.SetUint64(3))) // 3 is not a square
	// Output:
	// 1 [2 0 0 0]
	// 0
}
