//go:build linux && !purego

package scalar

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestGuardPages checks that the assembly kernels access no byte outside their arguments.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Implementations())
	const size = unsafe.Sizeof(Scalar{})
	as, bs, vs := cputest.Guarded(t, size), cputest.Guarded(t, size), cputest.Guarded(t, size)
	for i := range as {
		a, b, v := (*Scalar)(as[i]), (*Scalar)(bs[i]), (*Scalar)(vs[i])
		*a, *b = Scalar{1, 2, 3, 4}, Scalar{5, 6, 7, 8}
		var want Scalar
		mul(v, a, b)
		if mulGeneric(&want, a, b); *v != want {
			t.Error("product")
		}
		square(v, a)
		if squareGeneric(&want, a); *v != want {
			t.Error("square")
		}
	}
}
