//go:build !purego

package ecmult

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// wordsPay is true if, for this architecture, the compiler loads eight bytes of a string singly,
// because some of its CPUs cannot load a word from an unaligned address. Loads of aligned words are
// then faster.
const wordsPay = runtime.GOARCH == "riscv64" || runtime.GOARCH == "arm" ||
	runtime.GOARCH == "mips" || runtime.GOARCH == "mipsle" ||
	runtime.GOARCH == "mips64" || runtime.GOARCH == "mips64le"

// readPackedWords does the work of readPacked with loads of aligned words only, for a table at any
// address.
//
// An entry is eight words long, so all entries begin at the same distance, skew bytes, above an
// aligned address. An entry then overlaps nine words, and its last word is the first word of the
// next entry. The loop selects all nine words, and the entry is extracted from them once, at the
// end. The first and last word of the table may extend beyond it by at most seven bytes. These
// bytes are never in another page, and are discarded. checkptr would report these loads as accesses
// to another variable.
//
//go:nocheckptr
//ct:unrun for CPUs that cannot load words from any address
func readPackedWords(e *entry, table string, index uint64) {
	count := len(table) / entrySize
	if count == 0 {
		*e = entry{}
		return
	}
	start := unsafe.Pointer(unsafe.StringData(table))
	skew := uint(uintptr(start) % 8)
	start = unsafe.Add(start, -int(skew))
	entries := unsafe.Slice((*entry)(start), count)
	read(e, entries, index)
	var last uint64
	if skew != 0 {
		next := unsafe.Pointer(&entries[0])
		hot := uint64(1<<63) >> (index & 63)
		for range count {
			next = unsafe.Add(next, entrySize)
			last |= signMask(hot) & *(*uint64)(next)
			hot <<= 1
		}
	}
	var native [2]byte
	binary.NativeEndian.PutUint16(native[:], 1)
	if native[0] == 0 { // the CPU is big-endian
		for i := range e {
			e[i] = bits.ReverseBytes64(e[i])
		}
		last = bits.ReverseBytes64(last)
	}
	if skew != 0 {
		for i := range len(e) - 1 {
			e[i] = e[i]>>(8*skew) | e[i+1]<<(64-8*skew)
		}
		e[7] = e[7]>>(8*skew) | last<<(64-8*skew)
	}
}
