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

// strausOdds is the number of odd multiples of each point that these methods compute: those below
// 2^(window−1). The rows of the multiples 2·m + 1 follow the rows of the multiples 2·m − 1. For
// each multiple, there are rows for P and λ·P of every term, in the order of the terms.
const strausOdds = 1 << (window - 2)

// termDigits is the maximum number of nonzero digits of a half scalar with this window.
const termDigits = (wnaf.Positions + window - 1) / window

// oddMultiples sets the rows of the odd multiples over one common denominator z: a point (x, y) in
// these rows stands for (x/z², y/z³). No multiple is infinity, because the order of secp256k1 is a
// prime. There must be memory for these rows.
//
// Each table is multiplied by the denominators of all other tables. This takes as many
// multiplications as making the tables affine, but no inversion.
func (s *Sum) oddMultiples() (z field.Element) {
	terms := s.full + s.short
	s.denominators = resize(s.denominators, 2*terms)
	zs, before := s.denominators[:terms], s.denominators[terms:] // before: products of earlier zs
	var behind field.Element                                     // the product of later zs
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
		}
	}
	timesLambdaAll(s.rows[firstBase:][:2*terms*strausOdds])
	return z
}

// interleave sets r to the sum of the terms with one chain of doublings.
func (s *Sum) interleave(r *point.Jacobian) {
	s.rows = extend(s.rows, firstBase+len(s.halves)*strausOdds)
	z := s.oddMultiples()
	s.addends.reset(len(s.halves) * termDigits)
	s.readDigits(s.addends.add)
	s.addends.sum(r, s.rows)
	r.Z.Mul(&r.Z, &z)
}

// strausPairs sets r to the sum of the terms with one worker, which adds in pairs. Its rows come
// after those of the odd multiples. Their common denominator changes no formula: (x/z², y/z³) is a
// point of an isomorphic curve y² = x³ + b, and affine additions do not use b.
func (s *Sum) strausPairs(r *point.Jacobian) {
	free := firstBase + len(s.halves)*strausOdds
	pairs := min(maxPairs(&profile.Current().Sums), len(s.halves)*termDigits)
	s.startWorkers(free, 5*sumPositions+3*pairs, 1)
	z := s.oddMultiples()
	w := &s.workers[0]
	w.start(s.rows[:free+5*sumPositions+3*pairs], s.first[0], sumPositions)
	s.readDigits(func(position int, multiple ref) {
		w.accumulate(uint32(position), multiple)
		w.flushFull()
	})
	w.drain()
	w.collect()
	s.horner(r)
	r.Z.Mul(&r.Z, &z)
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
