package equation

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/group"
)

// Sizes of a record (equation.h): a sum of scalars in limbs of 32 bits, and the number of rows with
// each verdict.
const (
	recordLimbs = 9
	recordWords = recordLimbs + 4
	recordBytes = 4 * recordWords
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

// total adds up the n records that the device has written. It returns the sum of their scalars, and
// the number of rows with each verdict. Word k of record i is word n·k + i of the slice.
func total(records []byte) (base group.Scalar, counts [4]uint32) {
	n := len(records) / recordBytes
	word := func(k, i int) uint32 { return binary.LittleEndian.Uint32(records[4*(n*k+i):]) }
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

// Memory is the device memory of an equation: the memory for sums, the seed of the coefficients,
// and the records. It grows when an equation needs more, and is used for one equation at a time.
type Memory struct {
	Sum *sums.Memory

	seed, records, added driver.Buffer
	rows                 int // number of rows for which there is memory
}

// Bytes returns the bytes of device memory that an equation takes, apart from the columns of its
// rows.
func (s *Shape) Bytes() int64 {
	return s.sum.Bytes() + s.recordBytes()
}

// recordBytes returns the part of Bytes that the seed and the records take.
func (s *Shape) recordBytes() int64 {
	return seedBytes + recordBytes*(int64(s.Rows)+int64(max(lastRecords, s.adds[0].n)))
}

// Grow makes m large enough for an equation with the Shape s. m may then take at most limit bytes.
// If Grow returns an error, m may be partly allocated.
func (m *Memory) Grow(d driver.Device, s *Shape, limit int64) error {
	if s.Rows > m.rows {
		m.FreeRecords()
	}
	if err := m.Sum.Grow(d, s.sum, limit-s.recordBytes()); err != nil || s.Rows <= m.rows {
		return err
	}
	for _, part := range []struct {
		b     *driver.Buffer
		bytes int
	}{
		{&m.seed, seedBytes},
		{&m.records, recordBytes * s.Rows},
		{&m.added, recordBytes * max(lastRecords, s.adds[0].n)},
	} {
		b, err := d.Alloc(part.bytes)
		if err != nil {
			return err
		}
		*part.b = b
	}
	m.rows = s.Rows
	return nil
}

// FreeRecords frees the seed and the records, but not the memory for sums.
func (m *Memory) FreeRecords() {
	for _, b := range []*driver.Buffer{&m.seed, &m.records, &m.added} {
		if *b != nil {
			(*b).Free()
			*b = nil
		}
	}
	m.rows = 0
}

// Free frees all memory.
func (m *Memory) Free() {
	m.FreeRecords()
	m.Sum.Free()
}
