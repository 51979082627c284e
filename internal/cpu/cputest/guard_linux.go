//go:build !purego

package cputest

import (
	"reflect"
	"syscall"
	"testing"
	"unsafe"
)

// Guarded returns two pointers to memory for size bytes. The first memory begins right after a page
// that cannot be accessed, and the second ends right before such a page. The two may overlap.
func Guarded(t testing.TB, size uintptr) [2]unsafe.Pointer {
	page := syscall.Getpagesize()
	used := (int(size) + page - 1) / page * page
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
	return [2]unsafe.Pointer{unsafe.Pointer(&m[page]), unsafe.Pointer(&m[page+used-int(size)])}
}

// guarded returns pointers to two variables of the given type, in memory from Guarded.
func guarded(t testing.TB, typ reflect.Type) (v [2]reflect.Value) {
	for i := range v { // the two pointers of one call may be to memory that overlaps
		v[i] = reflect.NewAt(typ, Guarded(t, typ.Size())[i])
	}
	return v
}

// text returns the bytes of b, in their memory, as a string.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
