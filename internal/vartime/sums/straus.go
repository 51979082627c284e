package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// This file holds Straus' algorithm without lanes: interleaving with wNAF digits (Möller,
// "Algorithms for Multi-exponentiation", SAC 2001, section 3.2).

// window is the width in bits of the wNAF digits of half scalars in interleave and strausPairs.
const window = 5

// strausOdds is the number of odd multiples of each point that these methods compute: those below
// 2^(window−1). The rows of the multiples 2·m + 1 follow the rows of the multiples 2·m − 1. For
// each multiple, there are rows for P and λ·P of every term, in the order of the terms.
const strausOdds = 1 << (window - 2)

// termDigits is the maximum number of nonzero digits of a half scalar with this window.
const termDigits = (wnaf.Positions + window - 1) / window

// A strausDigit is the multiple that a digit selects, in a linked list of those of all digits at
// the same position. next is 1 + the index of the list's next element, or 0 at the end.
type strausDigit struct {
	multiple ref
	next     int32
}

// interleave sets r to the sum of the terms with one chain of doublings.
//
// The tables of all points get one common denominator: each table is multiplied by the denominators
// of all other tables. This takes as many multiplications as making the tables affine, but no
// inversion.
func (s *Sum) interleave(r *point.Jacobian) {
	terms := s.full + s.short
	s.resizeRows(firstBase + 2*terms*strausOdds)
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

	var heads [wnaf.Positions]int32
	s.digits = resize(s.digits, 2*terms*termDigits)[:0]
	s.readDigits(func(position int, multiple ref) {
		s.digits = append(s.digits, strausDigit{multiple, heads[position]})
		heads[position] = int32(len(s.digits))
	})
	var acc point.Jacobian
	acc.SetInfinity()
	doublings := 0
	for i := wnaf.Positions - 1; i >= 0; i-- {
		doublings++
		for at := heads[i]; at != 0; at = s.digits[at-1].next {
			if doublings > 0 {
				acc.DoubleN(&acc, doublings)
				doublings = 0
			}
			multiple := s.digits[at-1].multiple
			q := s.rows[multiple>>rowShift]
			if multiple&1 != 0 {
				q.Y.Neg(&q.Y)
			}
			acc.AddMixedVartime(&acc, &q)
		}
	}
	if doublings > 0 {
		acc.DoubleN(&acc, doublings)
	}
	acc.Z.Mul(&acc.Z, &z)
	r.Set(&acc)
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
