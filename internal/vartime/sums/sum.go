package sums

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Sum adds up terms: products k·P with a public k and a public P.
//
//	s.Reset(full, short)        // the numbers of terms
//	s.SetFull(i, k, p)          // a full term: k·p for a scalar k modulo n
//	s.SetShort(i, u, v, p)      // a short term: (u + v·λ)·p for u and v below 2^64 in magnitude
//	s.Result(ctx, r, team)
//
// The endomorphism splits every scalar into two half scalars, of 128 bits, or of 64 if the term is
// short. Terms that are not set are zero.
//
// A Sum keeps its memory for later sums. The zero value is ready to use. Several goroutines may set
// different terms at the same time; all other calls must come one after another.
type Sum struct {
	full, short int

	// rows holds the points: firstBase rows that belong to no term, then two rows for every full
	// term, two for every short term, and then the rows of the workers. The first row of a term
	// holds P. Result sets the second to λ·P, unless it uses strausLanes.
	rows []point.Affine

	// halves[j] is the half scalar that multiplies the point in row firstBase + j.
	halves []half

	// The memory of the method pippenger.
	units   *units
	workers []worker
	first   []int // by worker, the number of its first row

	// The memory of the method strausLanes.
	groups  []strausGroup
	laneSum *vartime.LaneSum

	// The memory of the methods interleave and strausPairs.
	denominators []field.Element
	addends      addends
}

// A half is a half scalar: two limbs of its magnitude, least significant first, and then 1 if it is
// negative, or 0 if it is not.
type half [3]uint64

// MaxTerms is the maximum number of terms of one Sum. Callers cut longer sums into several: one Sum
// of more terms would be no faster, because its points fit in no cache.
const MaxTerms = 1 << 17

// Reset removes all terms from s and makes room for new ones, at most MaxTerms in all. full is the
// number of terms with scalars modulo n, and short is the number of terms with half scalars below
// 2^64.
func (s *Sum) Reset(full, short int) {
	s.full, s.short = 0, 0
	s.Resize(full, short)
}

// Resize changes the numbers of terms of a sum without short terms. It keeps full terms whose
// numbers are below both the old and the new number of full terms. New terms are not set.
func (s *Sum) Resize(full, short int) {
	if full < 0 || short < 0 || full+short > MaxTerms || s.short > 0 {
		//layers:allow callers split longer sums, and resize only sums without short terms
		panic("sums: too many terms, or short terms")
	}
	s.makeRoom(full, short)
}

// makeRoom does the work of Resize, also for more than MaxTerms terms: the points of [Bases] cannot
// be cut into several sums.
func (s *Sum) makeRoom(full, short int) {
	halves, kept := 2*(full+short), 2*min(s.full, full)
	s.full, s.short = full, short
	s.rows = extend(s.rows, firstBase+halves)
	s.rows[padRef>>rowShift].SetGenerator()
	// The kernels read whole groups of half scalars.
	s.halves = extend(s.halves, halves+lanes.Width-1)[:halves]
	clear(s.halves[kept:])
}

// extend returns a slice of length n that begins with the elements of v.
func extend[T any](v []T, n int) []T { return slices.Grow(v, max(0, n-len(v)))[:n] }

// resize returns a slice of length n. It uses the memory of v if that is large enough, and then the
// elements may hold old values.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// SetFull sets full term number i to k·p.
func (s *Sum) SetFull(i int, k *scalar.Scalar, p *point.Affine) {
	k1, k2 := k.Split()
	s.set(i, &k1, &k2, p)
}

// SetShort sets short term number i to (u + v·λ)·p. u and v must be below 2^64 in magnitude.
func (s *Sum) SetShort(i int, u, v *scalar.Half, p *point.Affine) {
	if u.Hi|v.Hi != 0 {
		//layers:allow short half scalars are coefficients of 64 bits
		panic("sums: a short half scalar is too long")
	}
	s.set(s.full+i, u, v, p)
}

func (s *Sum) set(i int, k1, k2 *scalar.Half, p *point.Affine) {
	s.halves[2*i] = half{k1.Lo, k1.Hi, uint64(k1.Neg)}
	s.halves[2*i+1] = half{k2.Lo, k2.Hi, uint64(k2.Neg)}
	s.rows[firstBase+2*i] = *p
}

// isSet reports whether term i was set and has a nonzero scalar. Short terms are numbered after the
// full terms.
func (s *Sum) isSet(i int) bool {
	k1, k2 := &s.halves[2*i], &s.halves[2*i+1]
	return k1[0]|k1[1]|k2[0]|k2[1] != 0
}

// Result sets r to the sum of the terms. It overwrites the terms, so the next call must be Reset.
// It is exact for every input. Workers of the team take part if the sum is long enough. If ctx ends
// first, Result returns the error of ctx, does not set r, and keeps the terms: it may be called
// again.
func (s *Sum) Result(ctx context.Context, r *point.Jacobian, c *forkjoin.Team) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	method := choose(s.full, s.short)
	switch method {
	case profile.Interleaved:
		s.interleave(r)
		return nil
	case profile.InPairs:
		s.strausPairs(r)
		return nil
	case profile.InLanes:
		if s.strausLanes(r) {
			return nil
		}
		method = profile.Current().Sums.ExceptionWindows
	}
	return s.pippenger(ctx, r, cut(method), 1, c)
}

// IsZero reports whether the sum of the terms is the point at infinity. Otherwise it is like
// Result.
func (s *Sum) IsZero(ctx context.Context, c *forkjoin.Team) (bool, error) {
	var r point.Jacobian
	if err := s.Result(ctx, &r, c); err != nil {
		return false, err
	}
	return r.IsInfinity().Bool(), nil
}
