//go:build (amd64 || arm64 || riscv64) && !purego

package field

import (
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestEveryLevel runs the tests of arithmetic again in portable code; at the best level
// they run anyway.
func TestEveryLevel(t *testing.T) {
	cputest.Use(t, cputest.Portable)
	t.Run("Binary", TestBinary)
	t.Run("Unary", TestUnary)
	t.Run("ThirdFold", TestThirdFold)
	t.Run("Sqrt", TestSqrt)
}

// TestLevelsAgree compares the kernels with the generic code limb by limb: both
// fold three times, so that even the representation is the same.
func TestLevelsAgree(t *testing.T) {
	cputest.Use(t, cputest.Registers())
	vs := values(60)
	far := 0
	for _, x := range vs {
		a := fromBig(x)
		for _, n := range []int{1, 2, 5} {
			var got, want Element
			squareN(&got, &a, n)
			squareNGeneric(&want, &a, n)
			if got != want {
				t.Fatalf("%x squared %d times: %x, want %x", x, n, got, want)
			}
			// The kernel in variable time comes to the same, or leaves everything
			// alone, and is not asked then.
			before := fromBig(vs[0])
			got = before
			if !squareNVartime(&got, &a, n) {
				want, far = before, far+1
			}
			if got != want {
				t.Fatalf("%x squared %d times in variable time: %x, want %x", x, n, got, want)
			}
			squareNGeneric(&want, &a, n)
			if got.squares(&a, n, true); got != want {
				t.Fatalf("%x squared %d times: %x, want %x", x, n, got, want)
			}
		}
		for _, y := range vs {
			b := fromBig(y)
			var got, want Element
			mul(&got, &a, &b)
			mulGeneric(&want, &a, &b)
			if got != want {
				t.Fatalf("%x·%x = %x, want %x", x, y, got, want)
			}
		}
	}
	t.Logf("%d times a carry went far", far)
	// amd64's kernel in variable time gives up there, and that of arm64 goes on elsewhere.
	if (far > 0) != (runtime.GOARCH == "amd64") {
		t.Errorf("the kernel gave up %d times", far)
	}
}
