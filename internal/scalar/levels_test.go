//go:build (amd64 || arm64 || riscv64) && !purego

package scalar

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the arithmetic tests again in portable code. All other runs of these tests
// use the CPU's best instructions.
func TestEveryLevel(t *testing.T) {
	cputest.Use(t, cputest.Portable)
	t.Run("Binary", TestBinary)
	t.Run("Unary", TestUnary)
}

// TestLevelsAgree checks that the assembly kernels and the portable code compute the same products,
// also for factors that are n or more.
func TestLevelsAgree(t *testing.T) {
	cputest.Use(t, cputest.Registers())
	rnd := rand.New(rand.NewSource(7))
	vs := edges()
	for range 100 {
		vs = append(vs, random(rnd))
	}
	limbs := func(x *big.Int) Scalar {
		word := func(k uint) uint64 { return new(big.Int).Rsh(x, k).Uint64() }
		return Scalar{word(0), word(64), word(128), word(192)}
	}
	for _, x := range vs {
		for _, y := range append(vs, new(big.Int).Sub(maximum, x)) {
			a, b := limbs(x), limbs(y)
			var got, want Scalar
			mul(&got, &a, &b)
			if mulGeneric(&want, &a, &b); got != want {
				t.Fatalf("%x·%x = %x, want %x", x, y, got, want)
			}
			square(&got, &b)
			if squareGeneric(&want, &b); got != want {
				t.Fatalf("%x² = %x, want %x", y, got, want)
			}
		}
	}
}
