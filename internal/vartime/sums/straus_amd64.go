//go:build !purego

package sums

import (
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/lanes"
)

// lookupRow sets every lane of q to the multiple that row has for it.
func lookupRow(q *lanes.Affine, tables []packedAffine, row *strausRow) {
	if lanes.Available() {
		loadRowsIFMA(q, (*byte)(unsafe.Pointer(&tables[0])), &row.offsets, row.neg())
		return
	}
	lookupPortableRow(q, tables, row)
}
