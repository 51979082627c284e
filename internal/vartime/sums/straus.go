package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// This file holds Straus' algorithm without lanes: interleaving with wNAF digits (Möller,
// "Algorithms for Multi-exponentiation", SAC 2001, section 3.2).

// window is the width in bits of the wNAF digits of half scalars in interleave.
const window = 5

// strausOdds is the number of odd multiples of each point that interleave computes: those below
// 2^(window−1).
const strausOdds = 1 << (window - 2)

// termDigits is the maximum number of nonzero digits of a half scalar with this window.
const termDigits = (wnaf.Positions + window - 1) / window

// A strausTerm holds the odd multiples of P and of λ·P, where P is the point of a term.
type strausTerm struct {
	table  [strausOdds]point.Affine
	lambda [strausOdds]point.Affine
	z      field.Element // the denominator of table, before all tables get a common one
}

// A strausDigit is a digit of a half scalar, in a linked list of all digits at the same position.
// next is 1 + the index of the list's next digit, or 0 at the end.
type strausDigit struct {
	half  int32
	value int16
	next  int32
}

// interleave sets r to the sum of the terms with one chain of doublings.
//
// The tables of all points get one common denominator: each table is multiplied by the denominators
// of all other tables. This takes as many multiplications as making the tables affine, but no
// inversion.
func (s *Sum) interleave(r *point.Jacobian) {
	count := s.full + s.short
	s.terms = resize(s.terms, count)
	terms := s.terms
	var z field.Element
	z.One()
	for i := range terms {
		t := &terms[i]
		if !s.isSet(i) {
			continue
		}
		point.OddMultiples(t.table[:], &t.z, &s.rows[firstBase+2*i])
		t.lambda[0].X = z // temporarily, the product of the denominators of earlier terms
		z.Mul(&z, &t.z)
	}
	var behind field.Element // the product of the denominators of later terms
	behind.One()
	for i := count - 1; i >= 0; i-- {
		if !s.isSet(i) {
			continue
		}
		t := &terms[i]
		var others, squared, cubed field.Element
		others.Mul(&behind, &t.lambda[0].X)
		behind.Mul(&behind, &t.z)
		squared.Square(&others)
		cubed.Mul(&squared, &others)
		for j := range t.table {
			e := &t.table[j]
			e.X.Mul(&e.X, &squared)
			e.Y.Mul(&e.Y, &cubed)
			t.lambda[j].MulBeta(e)
		}
	}

	var heads [wnaf.Positions]int32
	digits := resize(s.digits, 2*count*termDigits)[:0]
	for j := range s.halves {
		var naf [wnaf.MaxDigits]wnaf.Digit
		h := &s.halves[j]
		for _, d := range naf[:wnaf.Digits(&naf, h[1], h[0], window)] {
			if h[2] != 0 {
				d.Value = -d.Value
			}
			digits = append(digits, strausDigit{int32(j), d.Value, heads[d.Position]})
			heads[d.Position] = int32(len(digits))
		}
	}

	s.digits = digits

	var acc point.Jacobian
	var q point.Affine
	acc.SetInfinity()
	doublings := 0
	for i := wnaf.Positions - 1; i >= 0; i-- {
		doublings++
		for at := heads[i]; at != 0; at = digits[at-1].next {
			if doublings > 0 {
				acc.DoubleN(&acc, doublings)
				doublings = 0
			}
			d := &digits[at-1]
			t := &terms[d.half>>1]
			table := &t.table
			if d.half&1 != 0 {
				table = &t.lambda
			}
			pick(&q, table[:], d.value)
			acc.AddMixedVartime(&acc, &q)
		}
	}
	if doublings > 0 {
		acc.DoubleN(&acc, doublings)
	}
	acc.Z.Mul(&acc.Z, &z)
	r.Set(&acc)
}

// pick sets q to digit·P for an odd digit. table holds the odd multiples of P.
func pick(q *point.Affine, table []point.Affine, digit int16) {
	if digit < 0 {
		q.Neg(&table[-digit>>1])
		return
	}
	*q = table[digit>>1]
}
