//go:build !amd64 || purego

package scalar

// The seam that an architecture with kernels of its own replaces.

func mul(v, a, b *Scalar) { mulGeneric(v, a, b) }
func square(v, a *Scalar) { squareGeneric(v, a) }
