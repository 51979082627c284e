//go:build !purego

package point

import (
	"runtime"
	"unsafe"
)

// AlignedLoads is true if, for this architecture, the compiler loads the eight bytes of a limb
// singly, because some of its CPUs cannot load a word from an unaligned address. Loads of aligned
// words are then faster.
const AlignedLoads = runtime.GOARCH == "riscv64" || runtime.GOARCH == "arm" ||
	runtime.GOARCH == "mips" || runtime.GOARCH == "mipsle" ||
	runtime.GOARCH == "mips64" || runtime.GOARCH == "mips64le"

// AlignedEntries returns the entries of a packed table, which must not be empty, as they are in
// memory from the last aligned address on that is not above the table's. skew is the distance of
// the table from this address in bytes; [Entry.Realign] extracts a packed entry.
//
// The slice has one more entry than the table. If skew is not zero, the first word of this entry
// holds the last bytes of the table, and otherwise no part of it may be read. The first and the
// last word may extend beyond the table by at most seven bytes, which are never in another page.
// checkptr would report their loads as accesses to another variable.
//
//go:nocheckptr
//ct:public takes the address of a table
func AlignedEntries(table string) (entries []Entry, skew uint) {
	start := unsafe.Pointer(unsafe.StringData(table))
	skew = uint(uintptr(start) % 8)
	first := (*Entry)(unsafe.Add(start, -int(skew)))
	return unsafe.Slice(first, len(table)/PackedSize+1), skew
}
