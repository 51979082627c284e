//go:build linux && !purego

package point

import (
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/field"
)

// TestGuardPages checks that the assembly kernels access no byte outside their arguments.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Implementations())
	const (
		jacobian = unsafe.Sizeof(Jacobian{})
		affine   = unsafe.Sizeof(Affine{})
		element  = unsafe.Sizeof(field.Element{})
	)
	ps := cputest.Guarded(t, jacobian)
	qs := cputest.Guarded(t, jacobian)
	rs := cputest.Guarded(t, jacobian)
	as, ss := cputest.Guarded(t, affine), cputest.Guarded(t, element)
	for i := range ps {
		p, q, a, s := (*Jacobian)(ps[i]), (*Jacobian)(qs[i]), (*Affine)(as[i]), (*field.Element)(ss[i])
		a.SetGenerator()
		s.One()
		var g, want Jacobian
		g.SetAffine(a)
		doubleN(q, &g, 1)
		doubleN(p, q, 2)
		doubleNGeneric(&want, &g, 3)
		if p.Equal(&want) != 1 {
			t.Error("doubling")
		}
		addMixedGeneric(&want, q, a)
		addMixed(p, q, a)
		if p.Equal(&want) != 1 {
			t.Error("mixed")
		}
		if !addMixedVartime(p, q, a) || p.Equal(&want) != 1 {
			t.Error("mixed, vartime")
		}
		if !addScaledVartime(p, q, a, s) || p.Equal(&want) != 1 {
			t.Error("scaled")
		}
		addGeneric(&want, &g, q)
		r := (*Jacobian)(rs[i])
		*r = g
		add(p, r, q)
		if p.Equal(&want) != 1 {
			t.Error("full")
		}
		if !addVartime(p, r, q) || p.Equal(&want) != 1 {
			t.Error("full, vartime")
		}
		q.SetAffine(a)
		if addMixedVartime(p, q, a) || addScaledVartime(p, q, a, s) {
			t.Error("equal points")
		}
	}
}
