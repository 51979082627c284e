package equation

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/group"
)

// A record is that of equation.h: a sum of scalars in limbs of 32 bits, and the numbers of rows by
// verdict.
const (
	recordLimbs = 9
	recordWords = recordLimbs + 4
	recordBytes = 4 * recordWords
)

// An add is a launch of k_equation_add: count records become n.
type add struct{ n, count int }

const (
	lastRecords = 128     // at most so many come to the host
	manyRecords = 1 << 13 // what more than so many times 16 become first
)

// adds returns the launches that add the records of rows up.
func adds(rows int) (list []add) {
	if rows > 16*manyRecords {
		list = append(list, add{manyRecords, rows})
		rows = manyRecords
	}
	return append(list, add{min(rows, lastRecords), rows})
}

// total adds up records, of which word k of record i of n is number n·k + i.
func total(records []byte) (base group.Scalar, counts [4]uint32) {
	n := len(records) / recordBytes
	word := func(k, i int) uint32 { return binary.LittleEndian.Uint32(records[4*(n*k+i):]) }
	var shift group.Scalar
	shift.SetUint64(1 << 32)
	for k := recordLimbs - 1; k >= 0; k-- {
		var limbs uint64 // there are far fewer than 2^32 records
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

// Memory is that of a device for equations: that for sums, and more. It grows as they need it, and
// is for one equation at a time.
type Memory struct {
	Sum *sums.Memory

	seed, records, added driver.Buffer
	rows                 int // that there is room for
}

// Bytes returns the memory that an equation takes on the device, without columns.
func (s *Shape) Bytes() int64 {
	return s.sum.Bytes() + s.recordBytes()
}

// recordBytes returns how much of that is not for the sum.
func (s *Shape) recordBytes() int64 {
	return seedBytes + recordBytes*(int64(s.Rows)+int64(max(lastRecords, s.adds[0].n)))
}

// Grow makes m large enough for an equation, with at most most bytes. If it returns an error, m may
// have parts only.
func (m *Memory) Grow(d driver.Device, s *Shape, most int64) error {
	if s.Rows > m.rows {
		m.FreeRecords()
	}
	if err := m.Sum.Grow(d, s.sum, most-s.recordBytes()); err != nil || s.Rows <= m.rows {
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

// FreeRecords gives back what is not for sums.
func (m *Memory) FreeRecords() {
	for _, b := range []*driver.Buffer{&m.seed, &m.records, &m.added} {
		if *b != nil {
			(*b).Free()
			*b = nil
		}
	}
	m.rows = 0
}

// Free gives the memory back, with that for sums.
func (m *Memory) Free() {
	m.FreeRecords()
	m.Sum.Free()
}
