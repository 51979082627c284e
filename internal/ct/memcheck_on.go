//go:build valgrind && amd64 && linux

package ct

// This is the only file of the library's core that uses unsafe even with the tag purego, because
// ctcheck also tests the portable code. Builds with memcheck are only for ctcheck.

import "unsafe"

// These are codes of memcheck's client requests, from valgrind's memcheck.h. The codes of each
// valgrind tool begin at a number made from two letters, here 'M' and 'C'.
const (
	makeMemUndefined = 'M'<<24 | 'C'<<16 + 1
	makeMemDefined   = 'M'<<24 | 'C'<<16 + 2
)

// request is the structure that valgrind reads at the address in AX: the code and five arguments.
// The first argument is a pointer, so that Go updates it if the stack moves.
type request struct {
	code uintptr
	addr unsafe.Pointer
	len  uintptr
	_    [3]uintptr
}

// clientRequest sends r to valgrind. If the program does not run under valgrind, it does nothing.
//
//go:noescape
func clientRequest(r *request)

// mark sends a request with the given code for n bytes from p. The request does not apply to copies
// in registers. There are none: mark is a call, across which the compiler keeps no copy of this
// memory in registers.
//
//go:noinline
func mark(code uintptr, p unsafe.Pointer, n int) {
	if n > 0 {
		clientRequest(&request{code: code, addr: p, len: uintptr(n)})
	}
}

// Declassify marks the given number of 64-bit words from p as public for memcheck.
// It does nothing unless the program is built to run under memcheck.
func Declassify(p *uint64, words int) { mark(makeMemDefined, unsafe.Pointer(p), 8*words) }

// DeclassifyBytes is Declassify for bytes.
func DeclassifyBytes(b []byte) { mark(makeMemDefined, unsafe.Pointer(unsafe.SliceData(b)), len(b)) }

// Classify marks the given number of 64-bit words from p as secret for memcheck.
// It does nothing unless the program is built to run under memcheck.
//
//ct:public marks data as secret, and every case calls it
func Classify(p *uint64, words int) { mark(makeMemUndefined, unsafe.Pointer(p), 8*words) }

// Declassify32 is Declassify for words of 32 bits.
func Declassify32(p *uint32, words int) { mark(makeMemDefined, unsafe.Pointer(p), 4*words) }

// ClassifyBytes is Classify for bytes.
//
//ct:public marks data as secret, and every case calls it
func ClassifyBytes(b []byte) { mark(makeMemUndefined, unsafe.Pointer(unsafe.SliceData(b)), len(b)) }
