//go:build !purego

package cputest

import (
	"syscall"
	"testing"
	"unsafe"
)

// Guarded returns two pointers to memory for size bytes. The first memory begins right after a page
// that cannot be accessed, and the second ends right before such a page.
func Guarded(t *testing.T, size uintptr) [2]unsafe.Pointer {
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

// Memory returns two variables in memory of their own. The first begins right after a page that
// cannot be accessed, and the second ends right before such a page.
func Memory[T any](t *testing.T) (v [2]*T) {
	for i, p := range Guarded(t, unsafe.Sizeof(*new(T))) {
		v[i] = (*T)(p)
	}
	return v
}

// Slices returns two slices of n elements, in memory as that of [Memory].
func Slices[T any](t *testing.T, n int) (v [2][]T) {
	for i, p := range Guarded(t, uintptr(n)*unsafe.Sizeof(*new(T))) {
		v[i] = unsafe.Slice((*T)(p), n)
	}
	return v
}

// Strings returns two copies of s, in memory as that of [Memory].
func Strings(t *testing.T, s string) (v [2]string) {
	for i, b := range Slices[byte](t, len(s)) {
		copy(b, s)
		v[i] = unsafe.String(unsafe.SliceData(b), len(b))
	}
	return v
}
