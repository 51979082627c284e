package equation

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/internal/scalar"
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
func total(records []byte) (base scalar.Scalar, counts [4]uint32) {
	n := len(records) / recordBytes
	word := func(k, i int) uint32 { return binary.LittleEndian.Uint32(records[4*(n*k+i):]) }
	var shift scalar.Scalar
	shift.SetUint64(1 << 32)
	for k := recordLimbs - 1; k >= 0; k-- {
		var limbs uint64 // there are far fewer than 2^32 records
		for i := range n {
			limbs += uint64(word(k, i))
		}
		var t scalar.Scalar
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

// Memory is that of a device for equations. It grows as they need it, and is for one equation at a
// time. The zero value has none.
type Memory struct {
	sum                  sums.Memory
	seed, records, added driver.Buffer
	rows                 int // that there is room for
}

// Bytes returns the memory that an equation takes on the device, without columns.
func (s *Shape) Bytes() int64 {
	return s.sum.Bytes() + seedBytes + recordBytes*(int64(s.rows)+int64(s.adds[0].n))
}

// Grow makes m large enough for an equation. If it returns an error, m is as large as it was, or
// smaller.
func (m *Memory) Grow(d driver.Device, s *Shape) error {
	if err := m.sum.Grow(d, s.sum); err != nil {
		return err
	}
	if s.rows <= m.rows {
		return nil
	}
	m.freeRecords()
	var err error
	alloc := func(bytes int) (b driver.Buffer) {
		if err == nil {
			if b, err = d.Alloc(bytes); err != nil {
				return nil
			}
		}
		return b
	}
	m.seed = alloc(seedBytes)
	m.records = alloc(recordBytes * s.rows)
	m.added = alloc(recordBytes * max(lastRecords, s.adds[0].n))
	if err != nil {
		m.freeRecords()
		return err
	}
	m.rows = s.rows
	return nil
}

func (m *Memory) freeRecords() {
	for _, b := range []*driver.Buffer{&m.seed, &m.records, &m.added} {
		if *b != nil {
			(*b).Free()
			*b = nil
		}
	}
	m.rows = 0
}

// Free gives the memory back.
func (m *Memory) Free() {
	m.freeRecords()
	m.sum.Free()
}
