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

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// MaxRows is the greatest number of rows of one equation, each of which has two terms.
const MaxRows = sums.MaxTerms / 2

// ErrRows is in the tree of the errors that say that a device left rows out.
var ErrRows = errors.New("the device has not done all rows")

// A Shape says how an equation for so many rows is computed.
type Shape struct {
	rows int
	sum  *sums.Shape
	adds []add
}

// New returns the shape of an equation for rows from 1 to MaxRows.
func New(rows int) *Shape {
	return &Shape{rows: rows, sum: sums.New(2*rows, sums.FullBits), adds: adds(rows)}
}

// Rows returns the number of rows.
func (s *Shape) Rows() int { return s.rows }

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
	return s.sum.Begin(q, &m.sum, &a.sum)
}

// Write enqueues that the terms of n rows from number first on are written. The columns of a call
// of kind AllSchnorr, or AllECDSA with recovery ids, are packed, and in the device's memory.
func (s *Shape) Write(
	q driver.Queue, m *Memory, a *Answer, k device.Kind, flags uint32, first, n int,
	cols [4]driver.Buffer,
) error {
	args := []any{uint32(n), flags, uint32(first), uint32(s.rows), a.mark(), m.seed, cols[0], cols[1],
		cols[2]}
	kernel := "k_equation_schnorr"
	if k == device.AllECDSA {
		kernel = "k_equation_ecdsa"
		args = append(args, cols[3])
	}
	args = append(args, m.sum.Buffer(sums.Points), m.sum.Buffer(sums.Halves), m.records)
	return q.Launch(kernel, n, args...)
}

// Sum enqueues the sum of all rows, which have been written, and that a is to be read.
func (s *Shape) Sum(q driver.Queue, m *Memory, a *Answer) error {
	from, to := m.records, m.added
	for _, l := range s.adds {
		if err := q.Launch("k_equation_add", l.n, uint32(l.n), uint32(l.count), from, to); err != nil {
			return err
		}
		from, to = to, from
	}
	a.records = append(a.records[:0], make([]byte, s.adds[len(s.adds)-1].n*recordBytes)...)
	if err := q.Read(a.records, from, 0); err != nil {
		return err
	}
	return s.sum.Sum(q, &m.sum, &a.sum)
}

// Verdict returns what the equation says of the rows of a call of that kind: Valid if it holds,
// Malformed or Invalid if some row is, and Unchecked if a wrong recovery id may be all that is
// wrong.
func (s *Shape) Verdict(k device.Kind, a *Answer) (device.Verdict, error) {
	base, counts := total(a.records)
	mark, sum := a.mark(), uint32(0)
	for _, c := range counts {
		sum += c
	}
	switch {
	case sum != uint32(s.rows)*mark:
		return device.Unchecked, fmt.Errorf("%w: %d of an equation", ErrRows, s.rows)
	case counts[device.Malformed] != 0:
		return device.Malformed, nil
	case counts[device.Invalid] != 0:
		return device.Invalid, nil
	case counts[device.Valid] != sum:
		return device.Unchecked, nil // a recovery id that names no point
	}
	var p point.Jacobian
	vartime.ScalarBaseMult(&p, &base)
	if err := s.sum.Result(&p, &a.sum); err != nil {
		return device.Unchecked, err
	}
	switch {
	case p.IsInfinity().Bool():
		return device.Valid, nil
	case k == device.AllECDSA:
		return device.Unchecked, nil
	}
	return device.Invalid, nil
}
