// Package equation computes one equation for many rows on a device, by the kernels of
// gpu/kernels/equation.h. docs/batch-soundness.md says what the equation proves. The package draws
// the seed of the coefficients, launches the stages, and computes the last step on the host, a sum
// of a few points.
package equation

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/group"
)

// MaxRows is the most rows of one equation. Each row has two terms.
const MaxRows = sums.MaxTerms / 2

// ErrRows is wrapped by errors which say that a device left rows out.
var ErrRows = errors.New("the device has not done all rows")

// A Shape holds the parameters for computing an equation for a number of rows: its launches, and
// the sizes of its arrays.
type Shape struct {
	Rows int // number of rows, from 1 to MaxRows

	sum  *sums.Shape
	adds []add
}

// New returns the Shape of an equation for the given number of rows, from 1 to MaxRows.
func New(rows int) *Shape {
	return &Shape{Rows: rows, sum: sums.New(2 * rows), adds: adds(rows)}
}

// An Answer holds the random numbers that the host has drawn for an equation, and the results of
// the device. It is used for one equation at a time.
type Answer struct {
	// Records is the host memory to which records are copied: RecordsBytes bytes, which should be
	// driver.HostMemory. Sum has the memory for the sum's results.
	Records []byte
	Sum     sums.Answer

	drawn   [seedBytes + 4]byte
	records []byte // part of Records
}

// RecordsBytes is the size of the records that the host reads.
const RecordsBytes = lastRecords * recordBytes

const seedBytes = 32

// mark returns the odd random number that each row adds to a count. The host compares the count, so
// a count left over from an earlier equation is detected.
func (a *Answer) mark() uint32 { return binary.LittleEndian.Uint32(a.drawn[seedBytes:]) | 1 }

// Begin draws the seed of the coefficients, and enqueues the commands that come before the rows.
// The authors of rows never see the coefficients, so they cannot choose rows that depend on them.
func (s *Shape) Begin(q driver.Queue, m *Memory, a *Answer) error {
	rand.Read(a.drawn[:])
	if err := q.Write(m.seed, 0, a.drawn[:seedBytes]); err != nil {
		return err
	}
	return s.sum.Begin(q, m.Sum, &a.Sum)
}

// Write enqueues a launch that writes the terms of n consecutive rows of the equation; start is the
// index of the first. cols holds the columns of these rows, without gaps between values, in device
// memory. The call has the kind AllSchnorr, or AllECDSA with recovery ids.
func (s *Shape) Write(
	q driver.Queue, m *Memory, a *Answer, k device.Kind, flags uint32, start, n int,
	cols [4]driver.Buffer,
) error {
	args := []any{uint32(n), flags, uint32(start), uint32(s.Rows), a.mark(), m.seed, cols[0], cols[1],
		cols[2]}
	kernel := "k_equation_schnorr"
	if k == device.AllECDSA {
		kernel = "k_equation_ecdsa"
		args = append(args, cols[3])
	}
	args = append(args, m.Sum.Buffer(sums.Points), m.Sum.Buffer(sums.Halves), m.records)
	return q.Launch(kernel, n, args...)
}

// Finish enqueues the launches that add up the terms that Write has written for all rows. It also
// enqueues the copies of the results to a.
func (s *Shape) Finish(q driver.Queue, m *Memory, a *Answer) error {
	from, to := m.records, m.added
	for _, l := range s.adds {
		if err := q.Launch("k_equation_add", l.n, uint32(l.n), uint32(l.count), from, to); err != nil {
			return err
		}
		from, to = to, from
	}
	a.records = a.Records[:s.adds[len(s.adds)-1].n*recordBytes]
	if err := q.Read(a.records, from, 0); err != nil {
		return err
	}
	return s.sum.Sum(q, m.Sum, &a.Sum)
}

// A Total adds up the equations of a call, each of which covers some of the rows. The zero value
// covers no rows.
type Total struct {
	base group.Scalar // sum of the scalars of G
	sum  sums.Total
	rows [4]bool // for each verdict, whether some row has it
}

// Add adds the results that a device computed for an equation. It returns an error if correct
// computation cannot give such results.
func (t *Total) Add(s *Shape, a *Answer) error {
	base, counts := total(a.records)
	sum := uint32(0)
	for v, c := range counts {
		sum += c
		t.rows[v] = t.rows[v] || c != 0
	}
	if sum != uint32(s.Rows)*a.mark() {
		return fmt.Errorf("%w of %d", ErrRows, s.Rows)
	}
	t.base.Add(&t.base, &base)
	return t.sum.Add(s.sum, &a.Sum)
}

// Join adds the equations of o, which cover other rows, to t.
func (t *Total) Join(o *Total) {
	for v, is := range o.rows {
		t.rows[v] = t.rows[v] || is
	}
	t.base.Add(&t.base, &o.base)
	t.sum.Join(&o.sum)
}

// Bad reports whether some row is not part of the sum, because the device found the row Malformed,
// Invalid or Unchecked. No further rows can then make the call Valid, so they need not be computed.
func (t *Total) Bad() bool {
	return t.rows[device.Malformed] || t.rows[device.Invalid] || t.rows[device.Unchecked]
}

// Verdict returns the verdict on all rows of a call of kind k: Valid if the sum is infinity;
// Malformed or Invalid if some row has that verdict; Unchecked if a wrong recovery id may be the
// only error.
func (t *Total) Verdict(k device.Kind) device.Verdict {
	switch {
	case t.rows[device.Malformed]:
		return device.Malformed
	case t.rows[device.Invalid]:
		return device.Invalid
	case t.rows[device.Unchecked]:
		return device.Unchecked // a recovery id selects no point
	}
	// The sum is infinity if base·G and the sum of the terms are negatives of each other.
	var opposite group.Scalar
	switch {
	case t.sum.Equal(new(group.Point).ScalarBaseMultVartime(opposite.Negate(&t.base))):
		return device.Valid
	case k == device.AllECDSA:
		return device.Unchecked
	}
	return device.Invalid
}
