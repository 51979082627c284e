//go:build !purego

package ecmult

import "github.com/koblitz-go/koblitz/internal/cpu"

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package ecmult -dir ../internal/ecmult

// The seam on amd64: tables are read by vectors where the CPU has them.

func readPacked(e *entry, table string, index uint64) {
	switch {
	case cpu.Has(cpu.AVX512F):
		readPackedAVX512(e, table, index)
		return
	case cpu.Has(cpu.AVX2):
		readPackedAVX2(e, table, index)
		return
	}
	readPackedGeneric(e, table, index)
}

func read(e *entry, table []entry, index uint64) {
	switch {
	case cpu.Has(cpu.AVX512F):
		readAVX512(e, table, index)
		return
	case cpu.Has(cpu.AVX2):
		readAVX2(e, table, index)
		return
	}
	readGeneric(e, table, index)
}
