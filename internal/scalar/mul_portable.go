//go:build !amd64 || purego

package scalar

// The seam that an architecture with kernels of its own replaces.

func mul(v, a, b *Scalar) { mulGeneric(v, a, b) }

// MulInRegisters reports whether Mul keeps what it computes in registers, so that
// it leaves none of it on the stack.
func MulInRegisters() bool { return false }

func square(v, a *Scalar) { squareGeneric(v, a) }
