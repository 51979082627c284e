// Package sums computes sums of products of scalars and points on a device, by the kernels of the
// program sums of package kernels. It chooses the shape of a sum, launches its stages, and adds up
// the points that they leave to one point. gpu/kernels/terms.h describes the terms, and bucket.h
// how they are added up.
package sums

// MaxTerms is the most terms of one sum: entries of the sorted list have 24 bits for the index of a
// term.
const MaxTerms = 1 << 24

// FullBits is the number of bits of the halves of a full scalar.
const FullBits = 128

// A Shape says how a sum of a number of terms is computed. The zero value is not valid.
type Shape struct {
	Terms int // number of terms, from 1 to MaxTerms
	Bits  int // bits of the longest half, from 1 to FullBits

	window  int // window size in bits, c in digits.h
	windows int // number of windows, W in digits.h
	buckets int // number of buckets in all windows
	run     int // entries in a piece of the list
	pieces  int // most pieces of the list, if no digit is zero
	shift   int // a chunk has 2^shift buckets
	chunks  int
	fold    []fold
}

// A fold is one launch of k_sum_fold, which adds up count points to n points, each the sum of run.
type fold struct{ n, run, count int }

const (
	minWindow = 4 // smaller windows would be more than an entry can number
	maxWindow = 16

	maxPieces = 1 << 18 // four for each work item that fits on a large device
	minRun    = 8
	joinRun   = 16
	foldRun   = 8
	maxShift  = 4
)

// New returns the shape of a sum that is expected to be the fastest: with windows of the size for
// which cost returns the fewest multiplications.
func New(terms, bits int) *Shape {
	best := of(terms, bits, minWindow, 0)
	for c := minWindow + 1; c <= maxWindow; c++ {
		if s := of(terms, bits, c, 0); s.cost() < best.cost() {
			best = s
		}
	}
	return best
}

// of returns the shape with windows of c bits and pieces of run entries. If run is 0, pieces get as
// many entries as give maxPieces pieces.
func of(terms, bits, c, run int) *Shape {
	s := &Shape{Terms: terms, Bits: bits, window: c, windows: (bits + c - 1) / c}
	top := bits - c*(s.windows-1)
	s.buckets = (s.windows-1)<<(c-1) + 1<<top
	if s.run = run; run == 0 {
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

// entries returns the most entries of the sorted list.
func (s *Shape) entries() int { return 2 * s.Terms * s.windows }

// Field multiplications and squarings of a sum's operations: adding an affine point (8M + 2S),
// adding any two points (12M + 2S), and doubling (6M + 4S).
const (
	affineCost = 10
	sumCost    = 14
	doubleCost = 10
)

// cost returns how many multiplications a sum takes: an affine addition for each entry; two
// additions for each piece, one of them for its head; two for each bucket; and for each chunk a
// multiplication by its offset, bit by bit.
func (s *Shape) cost() int {
	offset := s.window * (doubleCost + sumCost/2)
	return affineCost*s.entries() + 2*sumCost*s.pieces + 2*sumCost*s.buckets + offset*s.chunks
}
