//go:build linux && !purego

package field

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
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
	const size = unsafe.Sizeof(Element{})
	as, bs, vs := guarded(t, int(size)), guarded(t, int(size)), guarded(t, int(size))
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
