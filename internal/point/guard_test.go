//go:build linux && !purego

package point

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/field"
)

// guarded returns two pointers to memory of size bytes: one begins right after
// an inaccessible page, the other ends right before one.
func guarded(t *testing.T, size int) [2]unsafe.Pointer {
	page := syscall.Getpagesize()
	used := (size + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, used+2*page,
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(m) })
	for _, guard := range [][]byte{m[:page], m[page+used:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return [2]unsafe.Pointer{unsafe.Pointer(&m[page]), unsafe.Pointer(&m[page+used-size])}
}

// TestGuardPages checks that the kernels access no byte outside their arguments.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Implementations())
	const (
		jacobian = int(unsafe.Sizeof(Jacobian{}))
		affine   = int(unsafe.Sizeof(Affine{}))
		element  = int(unsafe.Sizeof(field.Element{}))
	)
	ps, qs, rs := guarded(t, jacobian), guarded(t, jacobian), guarded(t, jacobian)
	as, ss := guarded(t, affine), guarded(t, element)
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
