// Package sums carries out calls with one answer for all rows on a device: sums of products of a
// scalar and a point, and equations over many signatures (docs/batch-soundness.md), which are sums
// with two terms for each row. The package chooses the parameters of a sum, draws the seed of an
// equation's coefficients, launches the kernels of the program "sums" of package kernels, stage by
// stage, and adds up the few points that they leave. gpu/kernels/terms.h describes the terms,
// bucket.h the bucket method (Pippenger) that adds them up, and equation.h the rows of equations.
package sums

import "github.com/koblitz-go/koblitz/device"

// maxTerms is the most terms of one sum: the kernels sort a list of entries, each with 24 bits for
// the index of a term.
const maxTerms = 1 << 24

// halfBits is the length in bits of the halves into which a scalar is split.
const halfBits = 128

// A Shape holds the parameters for computing the sum of a number of rows. The zero value is not
// valid.
type Shape struct {
	Kind  device.Kind // Sum, AllSchnorr, or AllECDSA with recovery ids
	Rows  int         // number of rows, from 1 to MaxRows
	Terms int         // number of terms

	window  int // window size in bits, c in digits.h
	windows int // number of windows, W in digits.h
	buckets int // number of buckets in all windows
	run     int // number of entries in a piece of the sorted list
	pieces  int // greatest number of pieces, reached if no digit is zero
	shift   int // a chunk of the reduction has 2^shift buckets
	chunks  int
	fold    []fold
	adds    []add // nil if this is no equation
}

// A fold is one launch of k_sum_fold. It adds up count points to n points: each of the n points is
// the sum of run points.
type fold struct{ n, run, count int }

const (
	minWindow = 4 // with smaller windows, there are more entries than can be numbered
	maxWindow = 16

	maxPieces = 1 << 18 // four for each work item that fits on a large device
	minRun    = 8
	joinRun   = 16
	foldRun   = 8
	maxShift  = 4
)

// MaxRows returns the most rows of one sum or equation of the given kind.
func MaxRows(k device.Kind) int { return maxTerms / rowTerms(k) }

// rowTerms returns the number of terms of a row.
func rowTerms(k device.Kind) int {
	if k == device.Sum {
		return 1
	}
	return 2 // the key and the nonce point
}

// New returns the Shape with which rows of the given kind are expected to be fastest. Its window
// size is the one for which cost is lowest.
func New(k device.Kind, rows int) *Shape {
	best := of(k, rows, minWindow, 0)
	for c := minWindow + 1; c <= maxWindow; c++ {
		if s := of(k, rows, c, 0); s.cost() < best.cost() {
			best = s
		}
	}
	return best
}

// of returns the Shape with windows of c bits. The device cuts the sorted list of a sum's digits
// into pieces of the given length. If length is 0, the function chooses it so that there are at
// most maxPieces pieces.
func of(k device.Kind, rows, c, length int) *Shape {
	s := &Shape{Kind: k, Rows: rows, Terms: rows * rowTerms(k),
		window: c, windows: (halfBits + c - 1) / c}
	if k != device.Sum {
		s.adds = adds(rows)
	}
	top := halfBits - c*(s.windows-1)
	s.buckets = (s.windows-1)<<(c-1) + 1<<top
	if s.run = length; length == 0 {
		for s.run = minRun; s.run*maxPieces < s.entries(); s.run *= 2 {
		}
	}
	s.pieces = (s.entries() + s.run - 1) / s.run
	s.shift = min(maxShift, c-1)
	s.chunks = (s.buckets + 1<<s.shift - 1) >> s.shift
	for count, each := s.chunks, 1<<(c-1-s.shift); ; {
		run := min(foldRun, each)
		n := (count + run - 1) / run
		s.fold = append(s.fold, fold{n, run, count})
		if count, each = n, each/run; each == 1 {
			return s
		}
	}
}

// isEquation reports whether s is for an equation.
func (s *Shape) isEquation() bool { return s.adds != nil }

// entries returns the greatest number of entries that the sorted list can have.
func (s *Shape) entries() int { return 2 * s.Terms * s.windows }

// Numbers of field multiplications (M) and squarings (S) in the operations of a sum: adding an
// affine point takes 8M + 2S, adding any two points 12M + 2S, and doubling 6M + 4S.
const (
	affineCost = 10
	sumCost    = 14
	doubleCost = 10
)

// cost returns the number of field multiplications and squarings of a sum: for each entry an
// addition of an affine point; for each piece of the sorted list two additions, one of them for its
// head (bucket.h); for each bucket two additions; and for each chunk a multiplication by its
// offset, bit by bit.
func (s *Shape) cost() int {
	offset := s.window * (doubleCost + sumCost/2)
	return affineCost*s.entries() + 2*sumCost*s.pieces + 2*sumCost*s.buckets + offset*s.chunks
}
