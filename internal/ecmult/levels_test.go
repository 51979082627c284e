//go:build (amd64 || arm64 || riscv64) && !purego

package ecmult

import (
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests of table reads and of multiplications at each level of CPU features
// that has its own kernels for them.
func TestEveryLevel(t *testing.T) {
	levels := append(cputest.AllLanes(), cputest.Portable, cputest.AVX2, cputest.AVX512F)
	if runtime.GOARCH != "amd64" {
		levels = []cputest.Level{cputest.Portable, cputest.Registers()}
	}
	cputest.Run(t, cputest.Tests(TestRead, TestReaders, TestScalarBaseMult, TestBlinding,
		TestScalarMult, TestMany, TestManyLastWindow, TestManyAdd, TestSum, TestScalarMultParallel),
		levels...)
}
