//go:build linux && !purego

package field

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestGuardPages checks that the assembly kernels access no byte outside their arguments.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Implementations())
	const size = unsafe.Sizeof(Element{})
	as, bs, vs := cputest.Guarded(t, size), cputest.Guarded(t, size), cputest.Guarded(t, size)
	for i := range as {
		a, b, v := (*Element)(as[i]), (*Element)(bs[i]), (*Element)(vs[i])
		*a, *b = fromLimbs(1, 2, 3, 4), fromLimbs(5, 6, 7, 8)
		var want Element
		mul(v, a, b)
		if mulGeneric(&want, a, b); *v != want {
			t.Error("product")
		}
		squareN(v, a, 1)
		if squareNGeneric(&want, a, 1); *v != want {
			t.Error("square")
		}
		squareN(v, a, 3)
		if squareNGeneric(&want, a, 3); *v != want {
			t.Error("squares")
		}
	}
}
