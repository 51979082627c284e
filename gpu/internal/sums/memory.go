package sums

import (
	"errors"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A Part is one of the arrays in device memory that a sum uses.
type Part int

// These are the arrays in device memory that a sum uses. The headers named here are files of
// gpu/kernels; they describe the contents of the arrays. Only equations have the last three.
const (
	Points Part = iota + 1 // described in terms.h
	Halves                 // described in terms.h
	State                  // described in terms.h
	Places
	List
	Buckets
	Heads
	Keys
	NextHeads
	NextKeys
	Chunks
	Folded
	Seed    // of the coefficients
	Records // described in equation.h
	Added   // sums of records
	parts
)

// Sizes in bytes of the elements of these arrays. The comments name the equal constants in C.
const (
	wordBytes  = 4
	pointBytes = 24 * wordBytes // TERM_POINT in C
	halfBytes  = 5 * wordBytes  // TERM_HALF in C
	xyzzBytes  = 32 * wordBytes // XYZZ_WORDS in C
	stateBytes = 4 * wordBytes  // STATE_WORDS in C
	placeRun   = 64             // PLACE_BUCKETS in C
	seedBytes  = 32
)

// sizes returns the size in bytes of each array that a sum uses.
func (s *Shape) sizes() [parts]int {
	joined := (s.pieces + joinRun - 1) / joinRun
	sizes := [parts]int{
		Points:    s.Terms * pointBytes,
		Halves:    s.Terms * 2 * halfBytes,
		State:     stateBytes,
		Places:    s.buckets * 2 * wordBytes,
		List:      s.entries() * wordBytes,
		Buckets:   s.buckets * xyzzBytes,
		Heads:     s.pieces * xyzzBytes,
		Keys:      s.pieces * wordBytes,
		NextHeads: joined * xyzzBytes,
		NextKeys:  joined * wordBytes,
		Chunks:    s.chunks * xyzzBytes,
		Folded:    s.fold[0].n * xyzzBytes,
	}
	if s.isEquation() {
		sizes[Seed] = seedBytes
		sizes[Records] = s.Rows * recordBytes
		sizes[Added] = max(lastRecords, s.adds[0].n) * recordBytes
	}
	return sizes
}

// Bytes returns the number of bytes of device memory that a sum takes, apart from the columns of
// its rows.
func (s *Shape) Bytes() (sum int64) {
	for _, n := range s.sizes() {
		sum += int64(n)
	}
	return sum
}

// Memory is the device memory of a sum. It grows when a sum needs more, and is used for one sum at
// a time. The zero value is empty.
type Memory struct {
	buffers [parts]driver.Buffer
	sizes   [parts]int
}

// Grow makes m large enough for a sum. It keeps the larger parts that earlier sums needed, unless
// the total would then exceed limit bytes or the device's memory. If Grow returns an error, m is
// empty.
func (m *Memory) Grow(d driver.Device, s *Shape, limit int64) error {
	sizes, sum := s.sizes(), int64(0)
	for i, n := range sizes {
		sum += int64(max(n, m.sizes[i]))
	}
	if sum > limit {
		m.Free()
	}
	err := m.grow(d, sizes)
	if errors.Is(err, driver.ErrMemory) {
		m.Free()
		err = m.grow(d, sizes)
	}
	if err != nil {
		m.Free()
	}
	return err
}

// grow replaces the arrays that are smaller than their entry in sizes by new ones of that size.
func (m *Memory) grow(d driver.Device, sizes [parts]int) error {
	for i, n := range sizes {
		if n <= m.sizes[i] {
			continue
		}
		if m.buffers[i] != nil {
			m.buffers[i].Free()
			m.buffers[i], m.sizes[i] = nil, 0
		}
		b, err := d.Alloc(n)
		if err != nil {
			return err
		}
		m.buffers[i], m.sizes[i] = b, n
	}
	return nil
}

// Free frees the memory.
func (m *Memory) Free() {
	for _, b := range m.buffers {
		if b != nil {
			b.Free()
		}
	}
	*m = Memory{}
}
