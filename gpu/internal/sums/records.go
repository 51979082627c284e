package sums

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/group"
)

// Sizes of a record (equation.h): a sum of scalars in limbs of 32 bits, and the number of rows with
// each verdict.
const (
	recordLimbs = 9
	recordWords = recordLimbs + 4
	recordBytes = wordBytes * recordWords
)

// An add is a launch of k_equation_add. The launch adds up count records, so that n records remain.
type add struct{ n, count int }

const (
	lastRecords = 128     // greatest number of records that the host reads
	manyRecords = 1 << 13 // more than 16 times as many records are first added up to this many
)

// adds returns the launches that add up the records of the given number of rows to at most
// lastRecords records.
func adds(rows int) (list []add) {
	if rows > 16*manyRecords {
		list = append(list, add{manyRecords, rows})
		rows = manyRecords
	}
	return append(list, add{min(rows, lastRecords), rows})
}

// addUp adds up the n records that the device has written. It returns the sum of their scalars, and
// the number of rows with each verdict. Word k of record i is word n·k + i of the slice.
func addUp(records []byte) (base group.Scalar, counts [4]uint32) {
	n := len(records) / recordBytes
	word := func(k, i int) uint32 { return binary.LittleEndian.Uint32(records[wordBytes*(n*k+i):]) }
	var shift group.Scalar
	shift.SetUint64(1 << 32)
	for k := recordLimbs - 1; k >= 0; k-- {
		var limbs uint64 // cannot overflow: there are far fewer than 2^32 records
		for i := range n {
			limbs += uint64(word(k, i))
		}
		var t group.Scalar
		base.Mul(&base, &shift)
		base.Add(&base, t.SetUint64(limbs))
	}
	for k := range counts {
		for i := range n {
			counts[k] += word(recordLimbs+k, i)
		}
	}
	return base, counts
}
