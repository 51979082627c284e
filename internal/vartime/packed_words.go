//go:build !purego

package vartime

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/point"
)

// wordsPay is true if, for this architecture, the compiler loads the eight bytes of a limb singly,
// because some of its CPUs cannot load a word from an unaligned address. Loads of aligned words are
// then faster.
const wordsPay = runtime.GOARCH == "riscv64"

// setPackedWords does the work of [point.Affine.SetPacked] with loads of aligned words only, for e
// at any address. It loads eight or nine words. The first and the last may extend beyond e by at
// most seven bytes, which are never in another page and are discarded. checkptr would report these
// loads as accesses to another variable.
//
//go:nocheckptr
func setPackedWords(a *point.Affine, e string) {
	if big := [2]byte{0, 1}; binary.NativeEndian.Uint16(big[:]) == 1 { // the CPU is big-endian
		a.SetPacked(e)
		return
	}
	e = e[:point.PackedSize]
	p := unsafe.Pointer(unsafe.StringData(e))
	skew := uint(uintptr(p) % 8)
	w := (*[point.PackedSize / 8]uint64)(unsafe.Add(p, -int(skew)))
	if skew == 0 {
		a.X.SetLimbs(w[0], w[1], w[2], w[3])
		a.Y.SetLimbs(w[4], w[5], w[6], w[7])
		return
	}
	right, left := 8*skew&63, (64-8*skew)&63
	last := *(*uint64)(unsafe.Add(unsafe.Pointer(w), point.PackedSize))
	a.X.SetLimbs(w[0]>>right|w[1]<<left, w[1]>>right|w[2]<<left,
		w[2]>>right|w[3]<<left, w[3]>>right|w[4]<<left)
	a.Y.SetLimbs(w[4]>>right|w[5]<<left, w[5]>>right|w[6]<<left,
		w[6]>>right|w[7]<<left, w[7]>>right|last<<left)
}
