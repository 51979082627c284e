package sums

import "github.com/koblitz-go/koblitz/gpu/internal/driver"

// An Answer holds the results of the device.
type Answer struct {
	// Memory is the host memory to which the results are copied: AnswerBytes bytes, which should be
	// driver.HostMemory.
	Memory []byte

	state, points []byte // parts of Memory
}

// AnswerBytes is enough memory for the answer to any sum. A sum leaves a point for each window, and
// one more.
const AnswerBytes = StateBytes + (halfBits/minWindow+1)*xyzzBytes

// unwritten is the byte that fills the results before a sum. Bytes of this value are not a valid
// coordinate, so the results of an earlier sum cannot be taken for results that the device has not
// written.
const unwritten = 0xff

// Begin enqueues the commands that come before the terms. They set the state to "no term is
// malformed".
func (s *Shape) Begin(q driver.Queue, m *Memory, a *Answer) error {
	out, n := s.result()
	a.state, a.points = a.Memory[:StateBytes], a.Memory[StateBytes:][:n*xyzzBytes]
	for i := range a.points {
		a.points[i] = unwritten
	}
	if err := q.Write(m.buffers[out], 0, a.points); err != nil {
		return err
	}
	clear(a.state)
	return q.Write(m.buffers[State], 0, a.state)
}

// Parse enqueues a launch that parses and splits n terms. They become consecutive terms of the sum;
// start is the index of the first of these terms. scalars has 32 bytes and points has 64 bytes for
// each term, in the format of kind Sum of package device.
func (s *Shape) Parse(
	q driver.Queue, m *Memory, start, n int, scalars, points driver.Buffer,
) error {
	return q.Launch("k_sum_terms", n, uint32(n), uint32(start), scalars, points,
		m.buffers[Points], m.buffers[Halves], m.buffers[State])
}

// Sum enqueues the launches that add up the terms that Parse has written. It also enqueues the
// copies of the results to a.
func (s *Shape) Sum(q driver.Queue, m *Memory, a *Answer) error {
	for _, l := range s.launches(m) {
		args := append([]any{uint32(l.n)}, l.args...)
		if err := q.Launch(l.kernel, l.n, args...); err != nil {
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

// launches returns the launches of a sum, in order.
func (s *Shape) launches(m *Memory) []launch {
	b := &m.buffers
	c, windows := uint32(s.window), uint32(s.windows)
	list := []launch{
		{"k_sum_clear", 2 * s.buckets, []any{b[Places]}},
		{"k_sum_count", 2 * s.Terms, []any{c, windows, b[Halves], b[Places]}},
		{"k_sum_place", (s.buckets + placeRun - 1) / placeRun,
			[]any{uint32(s.buckets), b[Places], b[State]}},
		{"k_sum_scatter", 2 * s.Terms, []any{c, windows, b[Halves], b[Places], b[List]}},
		{"k_sum_add", s.pieces, []any{uint32(s.run), c, windows, b[Points], b[Halves], b[List],
			b[State], b[Buckets], b[Heads], b[Keys]}},
	}
	from, to := [2]Part{Heads, Keys}, [2]Part{NextHeads, NextKeys}
	for count := s.pieces; count > 1; {
		n := (count + joinRun - 1) / joinRun
		list = append(list, launch{"k_sum_join", n, []any{uint32(joinRun), uint32(count), b[from[0]],
			b[from[1]], b[Buckets], b[to[0]], b[to[1]]}})
		count, from, to = n, to, from
	}
	list = append(list, launch{"k_sum_reduce", s.chunks, []any{uint32(s.shift), uint32(s.buckets), c,
		windows, b[Places], b[Buckets], b[Chunks]}})
	in, out := Chunks, Folded
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

// Malformed reports whether some term was malformed.
func (a *Answer) Malformed() bool { return a.state[0] != 0 }
