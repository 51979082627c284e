//go:build !amd64 || purego

package field

// The seam that an architecture with kernels of its own replaces.

func mul(v, a, b *Element)         { mulGeneric(v, a, b) }
func square(v, a *Element)         { squareGeneric(v, a) }
func squareN(v, a *Element, n int) { squareNGeneric(v, a, n) }

func squareNVartime(v, a *Element, n int) { squareNGeneric(v, a, n) }
