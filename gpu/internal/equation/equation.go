// Package equation has one equation for many rows computed on a device, by the kernels of
// gpu/kernels/equation.h: docs/batch-soundness.md says what it shows. It draws the seed of the
// coefficients, launches the stages, and does on the host what comes in the end: one sum of a few
// points.
package equation

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/group"
)

// MaxRows is the greatest number of rows of one equation, each of which has two terms.
const MaxRows = sums.MaxTerms / 2

// ErrRows is in the tree of the errors that say that a device left rows out.
var ErrRows = errors.New("the device has not done all rows")

// A Shape says how an equation for so many rows is computed.
type Shape struct {
	Rows int // from 1 to MaxRows

	sum  *sums.Shape
	adds []add
}

// New returns the shape of an equation for rows from 1 to MaxRows.
func New(rows int) *Shape {
	return &Shape{Rows: rows, sum: sums.New(2*rows, sums.FullBits), adds: adds(rows)}
}

// An Answer is what the host has of an equation: what it has drawn, and what the device says. It is
// for one equation at a time.
type Answer struct {
	drawn   [seedBytes + 4]byte
	records []byte
	sum     sums.Answer
}

const seedBytes = 32

// mark returns the number as which every row counts. It is odd.
func (a *Answer) mark() uint32 { return binary.LittleEndian.Uint32(a.drawn[seedBytes:]) | 1 }

// Begin draws coefficients, and enqueues what comes before rows are written. Nobody sees the
// coefficients, so rows do not depend on them, whenever they are chosen.
func (s *Shape) Begin(q driver.Queue, m *Memory, a *Answer) error {
	rand.Read(a.drawn[:])
	if err := q.Write(m.seed, 0, a.drawn[:seedBytes]); err != nil {
		return err
	}
	return s.sum.Begin(q, m.Sum, &a.sum)
}

// Write enqueues that the terms of n rows from number first on are written. The columns of a call
// of kind AllSchnorr, or AllECDSA with recovery ids, are packed, and in the device's memory.
func (s *Shape) Write(
	q driver.Queue, m *Memory, a *Answer, k device.Kind, flags uint32, first, n int,
	cols [4]driver.Buffer,
) error {
	args := []any{uint32(n), flags, uint32(first), uint32(s.Rows), a.mark(), m.seed, cols[0], cols[1],
		cols[2]}
	kernel := "k_equation_schnorr"
	if k == device.AllECDSA {
		kernel = "k_equation_ecdsa"
		args = append(args, cols[3])
	}
	args = append(args, m.Sum.Buffer(sums.Points), m.Sum.Buffer(sums.Halves), m.records)
	return q.Launch(kernel, n, args...)
}

// Finish enqueues the sum of all rows, which have been written, and that a is to be read.
func (s *Shape) Finish(q driver.Queue, m *Memory, a *Answer) error {
	from, to := m.records, m.added
	for _, l := range s.adds {
		if err := q.Launch("k_equation_add", l.n, uint32(l.n), uint32(l.count), from, to); err != nil {
			return err
		}
		from, to = to, from
	}
	n := s.adds[len(s.adds)-1].n * recordBytes
	a.records = slices.Grow(a.records[:0], n)[:n]
	if err := q.Read(a.records, from, 0); err != nil {
		return err
	}
	return s.sum.Sum(q, m.Sum, &a.sum)
}

// A Total is what the equations of a call come to, of which each is about some of its rows. The
// zero value is that of no rows.
type Total struct {
	base group.Scalar // of G
	sum  sums.Total
	rows [4]bool // whether there are rows of a verdict
}

// Add adds what the device says of an equation. The error says that it cannot be true.
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
	return t.sum.Add(s.sum, &a.sum)
}

// Join adds what the equations of other rows come to.
func (t *Total) Join(o *Total) {
	for v, is := range o.rows {
		t.rows[v] = t.rows[v] || is
	}
	t.base.Add(&t.base, &o.base)
	t.sum.Join(&o.sum)
}

// Bad returns whether there are rows without terms: then it is of no use to add more.
func (t *Total) Bad() bool {
	return t.rows[device.Malformed] || t.rows[device.Invalid] || t.rows[device.Unchecked]
}

// Verdict returns what the sum says of the rows of a call of that kind: Valid if it is infinity,
// Malformed or Invalid if some row is, and Unchecked if a wrong recovery id may be all that is
// wrong.
func (t *Total) Verdict(k device.Kind) device.Verdict {
	switch {
	case t.rows[device.Malformed]:
		return device.Malformed
	case t.rows[device.Invalid]:
		return device.Invalid
	case t.rows[device.Unchecked]:
		return device.Unchecked // a recovery id that names no point
	}
	// base·G and the sum of the terms are opposites.
	var opposite group.Scalar
	switch {
	case t.sum.Equal(new(group.Point).ScalarBaseMultVartime(opposite.Negate(&t.base))):
		return device.Valid
	case k == device.AllECDSA:
		return device.Unchecked
	}
	return device.Invalid
}
