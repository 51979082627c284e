package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// This file holds Straus' algorithm without lanes: interleaving with wNAF digits (Möller,
// "Algorithms for Multi-exponentiation", SAC 2001, section 3.2). The method interleave adds the
// multiples to one chain of doublings. The method strausPairs adds the multiples at each position
// in affine coordinates, and one batch contains additions at many positions. The result is one
// point for each power of two, as at the end of pippenger. Without lanes this is the fastest method
// for some ten to a hundred terms: an addition in a batch takes about half as long as an addition
// to a chain.

// window is the width in bits of the wNAF digits of half scalars in interleave and strausPairs.
const window = 5

// strausOdds is the number of odd multiples of each point that interleave and strausPairs compute:
// those below 2^(window−1). The rows are sorted by the multiple: first P and λ·P for every term in
// order, then 3·P and 3·λ·P for every term, and so on.
const strausOdds = 1 << (window - 2)

// termDigits is the maximum number of nonzero digits of a half scalar with this window.
const termDigits = (wnaf.Positions + window - 1) / window

// interleave sets r to the sum of the terms with one chain of doublings.
//
// The tables of all points get one common denominator: each table is multiplied by the denominators
// of all other tables. This takes as many multiplications as making the tables affine, but no
// inversion.
func (s *Sum) interleave(r *point.Jacobian) {
	terms := s.full + s.short
	s.rows = extend(s.rows, firstBase+2*terms*strausOdds)
	s.denominators = resize(s.denominators, 2*terms)
	zs, before := s.denominators[:terms], s.denominators[terms:] // before: products of earlier zs
	var z, behind field.Element                                  // behind: the product of later zs
	z.One()
	behind.One()
	var table [strausOdds]point.Affine
	for i := range terms {
		if !s.isSet(i) {
			continue
		}
		point.OddMultiples(table[:], &zs[i], &s.rows[firstBase+2*i])
		for m := range table {
			s.rows[firstBase+2*(terms*m+i)] = table[m]
		}
		before[i] = z
		z.Mul(&z, &zs[i])
	}
	for i := terms - 1; i >= 0; i-- {
		if !s.isSet(i) {
			continue
		}
		var others, squared, cubed field.Element
		others.Mul(&behind, &before[i])
		behind.Mul(&behind, &zs[i])
		squared.Square(&others)
		cubed.Mul(&squared, &others)
		for m := range strausOdds {
			e := &s.rows[firstBase+2*(terms*m+i)]
			e.X.Mul(&e.X, &squared)
			e.Y.Mul(&e.Y, &cubed)
			lambda := &s.rows[firstBase+2*(terms*m+i)+1]
			lambda.X.MulBeta(&e.X)
			lambda.Y = e.Y
		}
	}
	s.addends.reset(len(s.halves) * termDigits)
	s.readDigits(s.addends.add)
	s.addends.sum(r, s.rows)
	r.Z.Mul(&r.Z, &z)
}

// strausPairs sets r to the sum of the terms with one worker, which adds in pairs. After the rows
// of the odd multiples come the rows of 2·P and the rows of the worker.
func (s *Sum) strausPairs(r *point.Jacobian) {
	terms := s.full + s.short
	doubles := firstBase + 2*terms*strausOdds
	batch := profile.Current().Sums.BatchPairs
	pairs := min(maxPairs(&profile.Current().Sums), 2*terms*termDigits)
	s.startWorkers(doubles+terms, 5*sumPositions+3*pairs, 1)
	w := &s.workers[0]
	w.start(s.rows, s.first[0], sumPositions)
	for lo := 0; lo < terms; lo += batch {
		s.oddMultiples(w, lo, min(lo+batch, terms), doubles)
	}
	timesLambdaAll(s.rows[firstBase:doubles])

	s.readDigits(func(position int, multiple ref) {
		w.accumulate(uint32(position), multiple)
		w.flushFull()
	})
	w.drain()
	w.collect()
	s.horner(r)
}

// oddMultiples sets the rows of 3·P, 5·P and so on for the terms from lo to hi that are not zero.
// At most BatchPairs terms may be given.
//
// oddMultiples relies on the order of the pairs, which the method add changes only if some of them
// have summands with equal x and others have not. That never happens. For 2·P the summands of all
// pairs are equal. After that no pair has summands m·P and 2·P that are equal or opposite, because
// the order of secp256k1 is a large prime. For the same reason, no multiple is infinity.
func (s *Sum) oddMultiples(w *worker, lo, hi, doubles int) {
	l, n := &w.pairs, 0
	for i := lo; i < hi; i++ {
		if s.isSet(i) {
			row := ref(firstBase+2*i) << rowShift
			l.a[n], l.b[n], l.out[n] = row, row, ref(doubles+i)<<rowShift
			n++
		}
	}
	l.n = n
	w.add()
	copy(l.b[:n], l.out[:n])
	next := ref(len(s.halves)) << rowShift
	for range strausOdds - 1 {
		for k := range n {
			l.out[k] = l.a[k] + next
		}
		w.add()
		copy(l.a[:n], l.out[:n])
	}
	l.n = 0
}

// readDigits calls add for every nonzero digit of the half scalars, with the digit's position and
// the multiple that is to be added there.
func (s *Sum) readDigits(add func(position int, multiple ref)) {
	for j := range s.halves {
		var naf [wnaf.MaxDigits]wnaf.Digit
		h := &s.halves[j]
		for _, d := range naf[:wnaf.Digits(&naf, h[1], h[0], window)] {
			magnitude, sign := d.Value, ref(h[2])
			if magnitude < 0 {
				magnitude, sign = -magnitude, sign^1
			}
			row := firstBase + len(s.halves)*int(magnitude>>1) + j
			add(int(d.Position), ref(row)<<rowShift|sign)
		}
	}
}
