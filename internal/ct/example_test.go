package ct_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ct"
)

// This computes the smaller of two secrets without a branch that depends on them.
func ExampleSelect64() {
	a, b := uint64(7), uint64(5)
	fmt.Println(ct.Select64(ct.Less64(a, b), a, b))
	// Output: 5
}
