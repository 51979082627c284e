//go:build !amd64 || purego

package ecmult

// The seam that an architecture with kernels of its own replaces.

func readPacked(e *entry, table string, index uint64) { readPackedGeneric(e, table, index) }

func read(e *entry, table []entry, index uint64) { readGeneric(e, table, index) }
