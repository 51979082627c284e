//go:build linux && !purego

package ecmult

import (
	"encoding/binary"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
)

// TestGuardPages checks that table reads access no byte outside the table and the entry.
func TestGuardPages(t *testing.T) {
	t.Log(cpu.Features())
	es := cputest.Guarded(t, entrySize)
	for count := 1; count <= 64; count++ {
		tables := cputest.Guarded(t, uintptr(count)*entrySize)
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

// TestGuardPagesOfRounds checks that readRound accesses no byte outside its arguments.
func TestGuardPagesOfRounds(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	results := cputest.Guarded(t, unsafe.Sizeof(lanes.Affine{}))
	allParts := cputest.Guarded(t, unsafe.Sizeof([lanes.Width]uint64{}))
	for w := uint(1); w <= 7; w++ {
		points, text := randomRound(r, w)
		tables := cputest.Guarded(t, uintptr(len(text)))
		for i := range tables {
			table := unsafe.Slice((*byte)(tables[i]), len(text))
			copy(table, text)
			a, parts := (*lanes.Affine)(results[i]), (*[lanes.Width]uint64)(allParts[i])
			for j := range parts {
				parts[j] = r.Uint64()
			}
			checkRound(t, a, points, unsafe.String(&table[0], len(table)), parts, w, 64-w)
		}
	}
}

// TestGuardPagesOfDigits checks that readDigits and readShared access no byte outside their
// arguments.
func TestGuardPagesOfDigits(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	results := cputest.Guarded(t, unsafe.Sizeof(lanes.Affine{}))
	allWords := cputest.Guarded(t, unsafe.Sizeof([5]lanes.Vector{}))
	fewWords := cputest.Guarded(t, unsafe.Sizeof([3]lanes.Vector{}))
	sharedTables := cputest.Guarded(t, unsafe.Sizeof([10][4]lanes.Vector{}))
	points, shared := randomShared(r)
	for w := 1; w <= 7; w++ {
		entries := randomEntries(r, w)
		tables := cputest.Guarded(t, unsafe.Sizeof(entries[0])*uintptr(len(entries)))
		for i := range tables {
			p := (*lanes.Affine)(results[i])
			table := unsafe.Slice((*lanes.Affine)(tables[i]), len(entries))
			copy(table, entries)
			words := (*[3]lanes.Vector)(fewWords[i])
			for _, shift := range []int{0, 64 - w, 63, 64, 128 - w/2, 192 - w} {
				*words = [3]lanes.Vector(randomLaneWords(r, 3))
				checkDigits(t, p, table, words, shift, w)
			}
			if w > 6 {
				continue
			}
			sharedTable, words5 := (*[10][4]lanes.Vector)(sharedTables[i]), (*[5]lanes.Vector)(allWords[i])
			*sharedTable = *shared
			for _, shift := range []int{0, 64 - w, 63, 128, 256 - w/2, 256, 320 - w} {
				*words5 = [5]lanes.Vector(randomLaneWords(r, 5))
				checkShared(t, p, points, sharedTable, words5, shift, w)
			}
		}
	}
}
