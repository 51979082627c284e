//go:build linux && !purego

package ecmult

import (
	"encoding/binary"
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

// TestGuardPages checks that table reads access no byte outside the table and the entry.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Features())
	es := guarded(t, entrySize)
	for count := 1; count <= 64; count++ {
		tables := guarded(t, count*entrySize)
		for i := range tables {
			e := (*entry)(es[i])
			table := unsafe.Slice((*entry)(tables[i]), count)
			for k := range table {
				table[k] = entry{uint64(k), 1, 2, 3, 4, 5, 6, ^uint64(k)}
			}
			for index := range table {
				*e = entry{}
				if read(e, table, uint64(index)); *e != table[index] {
					t.Fatalf("entry %d of %d", index, count)
				}
				*e = entry{}
				packed := unsafe.Slice((*byte)(tables[i]), count*entrySize)
				readPacked(e, unsafe.String(&packed[0], len(packed)), uint64(index))
				var want entry // the limbs of table[index], in native byte order
				for j := range want {
					want[j] = binary.LittleEndian.Uint64(packed[index*entrySize+8*j:])
				}
				if *e != want {
					t.Fatalf("packed entry %d of %d", index, count)
				}
			}
		}
	}
}
