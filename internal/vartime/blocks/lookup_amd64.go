//go:build amd64 && !purego

package blocks

import (
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A laneTables is a table of odd multiples for each lane, entries in ascending
// order and packed as point.PackedSize says. Tables must be where nothing moves
// them: not on a stack.
type laneTables struct {
	tables  [lanes.Width]*byte
	offsets lanes.Vector // of each table from that of lane 0
}

// setString sets the table of lane j. Lane 0 comes first.
func (t *laneTables) setString(j int, table string) { t.set(j, unsafe.StringData(table)) }

// setWords sets the table of lane j. Lane 0 comes first.
func (t *laneTables) setWords(j int, table []uint64) {
	t.set(j, (*byte)(unsafe.Pointer(unsafe.SliceData(table))))
}

func (t *laneTables) set(j int, table *byte) {
	t.tables[j] = table
	t.offsets[j] = uint64(uintptr(unsafe.Pointer(table)) - uintptr(unsafe.Pointer(t.tables[0])))
}

// entry sets q to entry i of the table of lane j.
func (t *laneTables) entry(q *point.Affine, j, i int) {
	e := (*[lanes.RowWords]uint64)(unsafe.Add(unsafe.Pointer(t.tables[j]), i*point.PackedSize))
	q.X.SetLimbs(e[0], e[1], e[2], e[3])
	q.Y.SetLimbs(e[4], e[5], e[6], e[7])
}

// lookup sets every lane of p to the multiple by its digit, which is the window
// of so many bits from bit shift on. The odd multiples begin skip entries into
// the table.
func (t *laneTables) lookup(p *lanes.Affine, digits *[3]lanes.Vector, shift, width, skip int) {
	if lanes.Available() {
		base := (*byte)(unsafe.Add(unsafe.Pointer(t.tables[0]), skip*point.PackedSize))
		lookupIFMA(p, base, &t.offsets, digits, shift, width)
		return
	}
	lookupPortable(p, t, digits, shift, width, skip)
}

// prefetch asks for what lookup will read with the same arguments.
func (t *laneTables) prefetch(digits *[3]lanes.Vector, shift, width, skip int) {
	if lanes.Available() {
		base := (*byte)(unsafe.Add(unsafe.Pointer(t.tables[0]), skip*point.PackedSize))
		prefetchIFMA(base, &t.offsets, digits, shift, width)
	}
}

// store sets entry n of the tables of group i.
func (w *Lanes) store(i, n int, q *lanes.Affine) {
	if !lanes.Available() {
		w.storePortable(i, n, q)
		return
	}
	var offsets lanes.Vector
	for j := range offsets {
		offsets[j] = uint64(j) * rowTable * 8
	}
	// The entry of the last lane is the furthest.
	_ = w.table(i, lanes.Width-1)[n*lanes.RowWords:][:lanes.RowWords]
	storeRowsIFMA((*byte)(unsafe.Pointer(&w.table(i, 0)[n*lanes.RowWords])), &offsets, q)
}
