//go:build valgrind && amd64 && linux

package ct

// No other file of the core uses unsafe. This one does so under the tag purego
// too, since ctcheck looks at the portable code through it: nobody ships a build
// for memcheck.

import "unsafe"

// Client requests of memcheck, from valgrind's memcheck.h: a tool's requests
// are counted from its two letters, here 'M' and 'C'.
const (
	makeMemUndefined = 'M'<<24 | 'C'<<16 + 1
	makeMemDefined   = 'M'<<24 | 'C'<<16 + 2
)

// request is what valgrind reads at the address in AX: the request and its
// five arguments. The address stays a pointer, so that it follows a stack that
// moves.
type request struct {
	code uintptr
	addr unsafe.Pointer
	len  uintptr
	_    [3]uintptr
}

// clientRequest asks valgrind, and does nothing outside it.
//
//go:noescape
func clientRequest(r *request)

// mark makes the request for n bytes from p. What the compiler holds in
// registers is not marked; it holds nothing of p's memory over a call.
//
//go:noinline
func mark(code uintptr, p unsafe.Pointer, n int) {
	if n > 0 {
		clientRequest(&request{code: code, addr: p, len: uintptr(n)})
	}
}

// Declassify states that words 64-bit words from p are public from here on. It
// does nothing unless the program is built to run under memcheck.
func Declassify(p *uint64, words int) { mark(makeMemDefined, unsafe.Pointer(p), 8*words) }

// DeclassifyBytes is Declassify for bytes.
func DeclassifyBytes(b []byte) { mark(makeMemDefined, unsafe.Pointer(unsafe.SliceData(b)), len(b)) }

// Classify states that words 64-bit words from p are secret. It does nothing
// unless the program is built to run under memcheck.
//
//ct:public marks a secret as one, as every case has it done
func Classify(p *uint64, words int) { mark(makeMemUndefined, unsafe.Pointer(p), 8*words) }

// Declassify32 is Declassify for words of 32 bits.
func Declassify32(p *uint32, words int) { mark(makeMemDefined, unsafe.Pointer(p), 4*words) }

// ClassifyBytes is Classify for bytes.
//
//ct:public marks a secret as one, as every case has it done
func ClassifyBytes(b []byte) { mark(makeMemUndefined, unsafe.Pointer(unsafe.SliceData(b)), len(b)) }
