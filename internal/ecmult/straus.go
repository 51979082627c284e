package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file sums few products of points and scalars by Straus's algorithm ("Addition chains of
// vectors", American Mathematical Monthly 71, 1964): all products share their doublings.

// A Sum is the memory for a sum of products. It holds secrets: its owner must call Wipe after use.
// The zero value is ready for use. Only one goroutine at a time may use a Sum.
type Sum struct {
	terms    []term
	parallel []parallelTerm
	scratch  multScratch
	digits   point.Jacobian
	sum      vector.Point
	base     vector.Affine
}

// A term is a point with its table and the digits of its scalar.
type term struct {
	multiples
	odd    [maxMultiples]point.Affine // odd multiples with the denominator z of multiples
	others field.Element              // the product of the denominators of the other terms
	b1, b2 [5]uint64
}

// A parallelTerm is a term for package vector.
type parallelTerm struct {
	table  vector.Multiples
	b1, b2 [5]uint64
}

// Wipe overwrites all secrets in s.
//
//go:noinline
func (s *Sum) Wipe() {
	clear(s.terms)
	clear(s.parallel)
	*s = Sum{}
}

// Mult sets r = Σ k[i]·p[i]. k and p must have the same length. Scalars may be zero, and points may
// be equal, opposite or otherwise related to each other; they must be points of the curve. The time
// depends only on the number of terms. Treat r as secret until it is affine, as in
// [ScalarBaseMult].
func (s *Sum) Mult(r *point.Jacobian, k []scalar.Scalar, p []point.Affine) {
	//ct:secret k[0].IsOdd().Bool()
	s.Wipe() // an earlier call may have left digits

	if vector.Available() { //ct:unrun-portable for AVX-512, which the other build has
		s.multParallel(r, k, p)
		return
	}
	s.terms = make([]term, len(k))
	s.setTables(p)
	for i := range s.terms {
		t := &s.terms[i]
		s.scratch.recode(&k[i], multWindow*multWindows)
		t.b1, t.b2 = s.scratch.b1, s.scratch.b2
	}
	// The sum of the two digits of a term is never an exceptional case; see manyTables.mult. The sum
	// of several terms may have any relation to it, so the addition to that sum is complete.
	r.SetInfinity()
	for i := multWindows - 1; i >= 0; i-- {
		r.DoubleN(r, multWindow)
		for j := range s.terms {
			t := &s.terms[j]
			s.scratch.read(t.p[:], &t.b1, uint(i)*multWindow, multWindow)
			s.digits.SetAffine(&s.scratch.addend)
			s.scratch.read(t.lambdaP[:], &t.b2, uint(i)*multWindow, multWindow)
			s.digits.AddMixedIncomplete(&s.digits, &s.scratch.addend)
			r.Add(r, &s.digits)
		}
	}
	if len(s.terms) > 0 { // map r back from the isomorphic curve of the tables
		t := &s.terms[0]
		r.Z.Mul(&r.Z, &t.z)
		r.Z.Mul(&r.Z, &t.others)
	}
}

// setTables computes the odd multiples of the points p, all with one denominator: the product of
// the denominators that OddMultiples gives.
func (s *Sum) setTables(p []point.Affine) {
	var product, square field.Element
	product.One()
	for i := range s.terms {
		t := &s.terms[i]
		point.OddMultiples(t.odd[:], &t.z, &p[i])
		t.others.Set(&product)
		product.Mul(&product, &t.z)
	}
	product.One()
	for i := len(s.terms) - 1; i >= 0; i-- {
		t := &s.terms[i]
		t.others.Mul(&t.others, &product)
		product.Mul(&product, &t.z)
		square.Square(&t.others)
		for j := range t.odd {
			a := &t.odd[j]
			a.X.Mul(&a.X, &square)
			a.Y.Mul(&a.Y, &square)
			a.Y.Mul(&a.Y, &t.others)
		}
		t.store(t.odd[:])
	}
}

// multParallel does the work of Mult with package vector, whose additions are complete.
//
//ct:unrun-portable for AVX-512, which the other build has
func (s *Sum) multParallel(r *point.Jacobian, k []scalar.Scalar, p []point.Affine) {
	s.parallel = make([]parallelTerm, len(k))
	for i := range s.parallel {
		t := &s.parallel[i]
		t.table.Set(s.base.Set(&p[i]))
		s.scratch.recode(&k[i], parallelWindow*parallelWindows)
		t.b1, t.b2 = s.scratch.b1, s.scratch.b2
	}
	s.sum.SetInfinity()
	for i := parallelWindows - 1; i >= 0; i-- {
		doublings := parallelWindow
		for j := range s.parallel {
			t := &s.parallel[j]
			n1, i1 := oddDigit(window(&t.b1, uint(i)*parallelWindow, parallelWindow), parallelWindow)
			n2, i2 := oddDigit(window(&t.b2, uint(i)*parallelWindow, parallelWindow), parallelWindow)
			s.sum.DoubleAddMultiples(doublings, &t.table, i1, n1.Mask(), i2, n2.Mask())
			doublings = 0
		}
	}
	s.sum.Jacobian(r)
}
