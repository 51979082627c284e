//go:build !purego

package ecmult

import (
	"encoding/binary"
	"math/bits"
	"runtime"
	"unsafe"
)

// wordsPay says that the compiler reads eight bytes of a string one by one here: the CPU, or
// some of its kind, cannot load a word from an address that is not a multiple of its size.
const wordsPay = runtime.GOARCH == "riscv64" || runtime.GOARCH == "arm" ||
	runtime.GOARCH == "mips" || runtime.GOARCH == "mipsle" ||
	runtime.GOARCH == "mips64" || runtime.GOARCH == "mips64le"

// readPackedWords is readPacked with loads of aligned words alone, wherever the table begins.
//
// Entries are as long as eight words, so that all of them begin at the same distance from a
// multiple of eight, skew bytes. The words that an entry is in are nine then, of which the last
// one is the first one of the next entry. All nine are picked as they are, and the entry is cut
// out of them afterwards, once. The first and the last word of the table may reach over its
// ends, by at most seven bytes, which never belong to another page, and are cut off. To
// checkptr those bytes are another variable's.
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
	if native[0] == 0 { // big-endian
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
