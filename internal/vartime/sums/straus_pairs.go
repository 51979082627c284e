package sums

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file holds Straus' algorithm with additions in pairs. Like interleave it writes half scalars
// in wNAF. But it adds the multiples at each position in affine coordinates, and one batch contains
// additions at many positions. The result is one point for each power of two, as at the end of
// pippenger. Without lanes this is the fastest method for some ten to a hundred terms: an addition
// in a batch takes about half as long as an addition to the chain of doublings of interleave.

// strausPairs sets r to the sum of the terms and returns true. It returns false if an odd multiple
// of a point is infinity, which does not occur on secp256k1. After the rows of the odd multiples
// come the rows of 2·P and the rows of the worker.
func (s *Sum) strausPairs(r *point.Jacobian, p *profile.Sums) (ok bool) {
	terms := s.full + s.short
	digits := 2 * terms * termDigits
	doubles := firstBase + 2*terms*strausOdds
	first := doubles + terms
	last := first + 4*sumPositions + 3*min(maxPairs(p), digits)
	s.resizeRows(last)
	if len(s.workers) == 0 {
		s.workers = make([]worker, 1)
	}
	w := &s.workers[0]
	w.start(p, s.rows, first, last, sumPositions)
	for lo := 0; lo < terms; lo += p.BatchPairs {
		if !s.oddMultiples(w, lo, min(lo+p.BatchPairs, terms), doubles) {
			return false
		}
	}
	timesLambdaAll(s.rows[firstBase:doubles])

	s.readDigits(func(position int, multiple ref) {
		w.accumulate(uint32(position), multiple)
		w.flushFull()
	})
	w.drain()
	s.sums = resize(s.sums, 1)
	clear(s.sums)
	w.collect(&s.sums[0])
	horner(r, s.sums)
	return true
}

// oddMultiples sets the rows of 3·P, 5·P and so on for the terms from lo to hi that are not zero.
// At most BatchPairs terms may be given. It returns false if a multiple is infinity.
func (s *Sum) oddMultiples(w *worker, lo, hi, doubles int) (ok bool) {
	n := 0
	a, b, out := w.pairs.a, w.pairs.b, w.out
	for i := lo; i < hi; i++ {
		if s.isSet(i) {
			row := ref(firstBase+2*i) << rowShift
			a[n], b[n], out[n] = row, row, ref(doubles+i)<<rowShift
			n++
		}
	}
	a, b, out = a[:n], b[:n], out[:n]
	w.add(w.rows, a, b, out) // the sums are not infinity: no point of the curve has y = 0
	copy(b, out)
	next := ref(2*(s.full+s.short)) << rowShift
	for range strausOdds - 1 {
		for k := range out {
			out[k] = a[k] + next
		}
		if w.add(w.rows, a, b, out) {
			return false
		}
		copy(a, out)
	}
	return true
}
