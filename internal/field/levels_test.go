//go:build (amd64 || arm64 || riscv64) && !purego

package field

import (
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the arithmetic tests again in portable code. All other runs of these tests
// use the CPU's best instructions.
func TestEveryLevel(t *testing.T) {
	cputest.Run(t, cputest.Tests(TestBinary, TestUnary, TestThirdFold, TestSqrt, TestSqrtRatio),
		cputest.Portable)
}

// TestLevelsAgree checks that the kernels and the portable code compute the same limbs. Both fold
// three times, so even the representations of results are equal. The arguments are next to pages
// that cannot be accessed.
func TestLevelsAgree(t *testing.T) {
	cputest.Use(t, cputest.Registers())
	as, bs, gots := cputest.Memory[Element](t), cputest.Memory[Element](t), cputest.Memory[Element](t)
	vs := values(60)
	far := 0
	for i, x := range vs {
		a, b, got := as[i%2], bs[i%2], gots[i%2]
		*a = fromBig(x)
		var want Element
		for _, n := range []int{1, 2, 5} {
			squareN(got, a, n)
			squareNGeneric(&want, a, n)
			if *got != want {
				t.Fatalf("%x squared %d times: %x, want %x", x, n, *got, want)
			}
			// The variable-time kernel must give the same result, or return false and write
			// nothing.
			before := fromBig(vs[0])
			*got = before
			if !squareNVartime(got, a, n) {
				want, far = before, far+1
			}
			if *got != want {
				t.Fatalf("%x squared %d times in variable time: %x, want %x", x, n, *got, want)
			}
			squareNGeneric(&want, a, n)
			if got.squares(a, n, true); *got != want {
				t.Fatalf("%x squared %d times: %x, want %x", x, n, *got, want)
			}
		}
		for _, y := range vs {
			*b = fromBig(y)
			mul(got, a, b)
			mulGeneric(&want, a, b)
			if *got != want {
				t.Fatalf("%x·%x = %x, want %x", x, y, *got, want)
			}
		}
	}
	t.Logf("%d times a carry went far", far)
	// If a carry passes beyond the limbs that the variable-time kernel of amd64 handles, the kernel
	// must give up. The kernel of arm64 has a branch for such carries and must not give up.
	if (far > 0) != (runtime.GOARCH == "amd64") {
		t.Errorf("the kernel gave up %d times", far)
	}
}
