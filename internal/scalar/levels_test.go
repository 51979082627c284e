//go:build (amd64 || arm64 || riscv64) && !purego

package scalar

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestEveryLevel runs the arithmetic tests again in portable code. All other runs of these tests
// use the CPU's best instructions.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, cputest.Tests(TestBinary, TestUnary), cputest.Portable)
}

// TestLevelsAgree checks that the assembly kernels and the portable code compute the same products,
// even for factors that are n or more. The arguments are next to pages that cannot be accessed.
func TestLevelsAgree(t *testing.T) {
	cputest.Use(t, cputest.Registers())
	as, bs, gots := cputest.Memory[Scalar](t), cputest.Memory[Scalar](t), cputest.Memory[Scalar](t)
	vs := numbers(100)
	for i, x := range vs {
		for _, y := range append(vs, new(big.Int).Sub(maximum, x)) {
			a, b, got := as[i%2], bs[i%2], gots[i%2]
			*a, *b = *fromWords(reference.Words(x)), *fromWords(reference.Words(y))
			var want Scalar
			mul(got, a, b)
			if mulGeneric(&want, a, b); *got != want {
				t.Fatalf("%x·%x = %x, want %x", x, y, *got, want)
			}
			square(got, b)
			if squareGeneric(&want, b); *got != want {
				t.Fatalf("%x² = %x, want %x", y, *got, want)
			}
		}
	}
}
