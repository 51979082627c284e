//go:build !amd64 || purego

package sums

import "github.com/koblitz-go/koblitz/internal/lanes"

// lookupRow sets every lane of q to the multiple that row has for it.
func lookupRow(q *lanes.Affine, tables []packedAffine, row *strausRow) {
	lookupPortableRow(q, tables, row)
}
