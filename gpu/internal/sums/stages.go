package sums

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// An Answer holds the random numbers that the host has drawn for an equation, and the results of
// the device. It is used for one sum or equation at a time.
type Answer struct {
	// Sum and Records are the host memory to which the results are copied: SumBytes and
	// RecordsBytes bytes, which should be driver.HostMemory. Only equations use Records.
	Sum, Records []byte

	drawn                  [seedBytes + 4]byte
	state, points, records []byte // parts of Sum and Records
}

const (
	// SumBytes is enough memory for the answer to any sum. A sum leaves a point for each window,
	// and one more.
	SumBytes = stateBytes + (halfBits/minWindow+1)*xyzzBytes
	// RecordsBytes is the size of the records that the host reads.
	RecordsBytes = lastRecords * recordBytes
)

// unwritten is the byte that fills the results before a sum. Bytes of this value are not a valid
// coordinate, so the results of an earlier sum cannot be taken for results that the device has not
// written.
const unwritten = 0xff

// mark returns the odd random number that each row of an equation adds to a count. The host
// compares the count, so a count left over from an earlier equation is detected.
func (a *Answer) mark() uint32 { return binary.LittleEndian.Uint32(a.drawn[seedBytes:]) | 1 }

// Begin enqueues the commands that come before the rows. They set the state to "no term is
// malformed". For an equation, Begin draws the seed of the coefficients. The authors of rows never
// see the coefficients, so they cannot choose rows that depend on them.
func (s *Shape) Begin(q driver.Queue, m *Memory, a *Answer) error {
	if s.isEquation() {
		rand.Read(a.drawn[:])
		if err := q.Write(m.buffers[Seed], 0, a.drawn[:seedBytes]); err != nil {
			return err
		}
	}
	out, n := s.result()
	a.state, a.points = a.Sum[:stateBytes], a.Sum[stateBytes:][:n*xyzzBytes]
	for i := range a.points {
		a.points[i] = unwritten
	}
	if err := q.Write(m.buffers[out], 0, a.points); err != nil {
		return err
	}
	clear(a.state)
	return q.Write(m.buffers[State], 0, a.state)
}

// Write enqueues a launch that writes the terms of n consecutive rows; start is the index of the
// first. cols holds the columns of these rows, in the format of package device, without gaps
// between values, in device memory.
func (s *Shape) Write(
	q driver.Queue, m *Memory, a *Answer, flags uint32, start, n int, cols [4]driver.Buffer,
) error {
	b := &m.buffers
	if !s.isEquation() {
		return q.Launch("k_sum_terms", n, uint32(n), uint32(start), cols[0], cols[1],
			b[Points], b[Halves], b[State])
	}
	args := []any{uint32(n), flags, uint32(start), uint32(s.Rows), a.mark(), b[Seed], cols[0], cols[1],
		cols[2]}
	kernel := "k_equation_schnorr"
	if s.Kind == device.AllECDSA {
		kernel = "k_equation_ecdsa"
		args = append(args, cols[3])
	}
	return q.Launch(kernel, n, append(args, b[Points], b[Halves], b[Records])...)
}

// Finish enqueues the launches that add up what Write has written for all rows. It also enqueues
// the copies of the results to a.
func (s *Shape) Finish(q driver.Queue, m *Memory, a *Answer) error {
	for _, l := range s.launches(m) {
		args := append([]any{uint32(l.n)}, l.args...)
		if err := q.Launch(l.kernel, l.n, args...); err != nil {
			return err
		}
	}
	if s.isEquation() {
		out := Records
		if len(s.adds)%2 == 1 {
			out = Added
		}
		a.records = a.Records[:s.adds[len(s.adds)-1].n*recordBytes]
		if err := q.Read(a.records, m.buffers[out], 0); err != nil {
			return err
		}
	}
	out, _ := s.result()
	if err := q.Read(a.points, m.buffers[out], 0); err != nil {
		return err
	}
	return q.Read(a.state, m.buffers[State], 0)
}

// A launch describes a launch of a kernel. args are the arguments that follow the number of work
// items.
type launch struct {
	kernel string
	n      int
	args   []any
}

// launches returns the launches that follow those of Write, in order.
func (s *Shape) launches(m *Memory) (list []launch) {
	b := &m.buffers
	in, out := Records, Added
	for _, a := range s.adds {
		list = append(list, launch{"k_equation_add", a.n, []any{uint32(a.count), b[in], b[out]}})
		in, out = out, in
	}
	c, windows := uint32(s.window), uint32(s.windows)
	list = append(list, []launch{
		{"k_sum_clear", 2 * s.buckets, []any{b[Places]}},
		{"k_sum_count", 2 * s.Terms, []any{c, windows, b[Halves], b[Places]}},
		{"k_sum_place", (s.buckets + placeRun - 1) / placeRun,
			[]any{uint32(s.buckets), b[Places], b[State]}},
		{"k_sum_scatter", 2 * s.Terms, []any{c, windows, b[Halves], b[Places], b[List]}},
		{"k_sum_add", s.pieces, []any{uint32(s.run), c, windows, b[Points], b[Halves], b[List],
			b[State], b[Buckets], b[Heads], b[Keys]}},
	}...)
	from, to := [2]Part{Heads, Keys}, [2]Part{NextHeads, NextKeys}
	for count := s.pieces; count > 1; {
		n := (count + joinRun - 1) / joinRun
		list = append(list, launch{"k_sum_join", n, []any{uint32(joinRun), uint32(count), b[from[0]],
			b[from[1]], b[Buckets], b[to[0]], b[to[1]]}})
		count, from, to = n, to, from
	}
	list = append(list, launch{"k_sum_reduce", s.chunks, []any{uint32(s.shift), uint32(s.buckets), c,
		windows, b[Places], b[Buckets], b[Chunks]}})
	in, out = Chunks, Folded
	for _, f := range s.fold {
		list = append(list, launch{"k_sum_fold", f.n, []any{uint32(f.run), uint32(f.count), b[in],
			b[out]}})
		in, out = out, in
	}
	return list
}

// result returns the array in which the last launch of k_sum_fold leaves its points, and the number
// of points.
func (s *Shape) result() (Part, int) {
	out := Folded
	if len(s.fold)%2 == 0 {
		out = Chunks
	}
	return out, s.fold[len(s.fold)-1].n
}
