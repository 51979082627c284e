//go:build !amd64 || purego

package divsteps

// The seam that an architecture with kernels of its own replaces.

func invert(m *Modulus, out, in *[4]uint64) { invertGeneric(m, out, in) }

func euclidVartime(m *Modulus, out, in *[4]uint64, runs int) bool {
	return euclidGenericVartime(m, out, in, runs)
}
