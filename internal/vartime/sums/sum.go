package sums

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Sum adds up many products k·P, the terms, where every k and P is public:
//
//	s.Reset(full, short)        // how many terms there are
//	s.SetFull(i, k, p)          // k·p, k a scalar modulo n
//	s.SetShort(i, u, v, p)      // (u + v·λ)·p, with u and v below 2^64 in magnitude
//	s.Result(ctx, r, crew)
//
// Every scalar is split by the endomorphism, so that a term has two half scalars, of 128 bits
// or, if it is short, of 64. A base point like G is a term like any other. Terms that are not
// set count as zero.
//
// A Sum keeps its memory from one use to the next. The zero value is ready. It serves one sum
// at a time, but terms may be set from several goroutines, each term by one.
type Sum struct {
	full, short int

	// rows holds the points: firstBase rows that belong to no term, then two rows for every
	// full term and two for every short one, and then those of the workers. The first of a
	// term's rows is P, and recode sets the second to λ·P.
	rows []point.Affine

	// halves[j] is the half scalar of row firstBase + j.
	halves []half

	// For pippenger.
	workers []worker
	units   deques
	buckets int            // that a worker may fill at a time
	free    int            // the first row of the workers
	sums    []positionSums // by worker

	// For strausLanes.
	straus straus

	// For interleave.
	terms  []strausTerm
	digits []strausDigit
}

// A half is a half scalar: its magnitude in two limbs, least significant first, and then 1 if
// it is negative, or 0.
type half [3]uint64

// MaxTerms is the most terms of one Sum. Callers cut longer sums into several: one Sum of more
// terms would be no faster, since its points no longer fit in any cache.
const MaxTerms = 1 << 17

// Reset empties s and makes room for full terms with scalars modulo n and for short terms with
// half scalars below 2^64, at most MaxTerms in all.
func (s *Sum) Reset(full, short int) {
	if full < 0 || short < 0 || full+short > MaxTerms {
		panic("sums: too many terms")
	}
	s.full, s.short = full, short
	s.setBase(firstBase + 2*(full+short))
	s.rows[fillRef>>rowShift].SetGenerator()
	s.halves = resize(s.halves, 2*(full+short))
	clear(s.halves)
}

// Resize changes the number of full terms of a sum that has no short ones. Terms below both
// numbers stay as they are; new ones are not set.
func (s *Sum) Resize(full int) {
	if full < 0 || full > MaxTerms || s.short > 0 {
		panic("sums: a sum that cannot be resized")
	}
	kept := 2 * min(s.full, full)
	s.full = full
	s.setBase(firstBase + 2*full)
	s.rows[fillRef>>rowShift].SetGenerator()
	if cap(s.halves) < 2*full {
		grown := make([]half, 2*full, max(2*full, 2*cap(s.halves)))
		copy(grown, s.halves[:kept])
		s.halves = grown
		return
	}
	s.halves = s.halves[:2*full]
	clear(s.halves[kept:])
}

// setBase makes s.rows hold at least n rows. The rows that were there keep their points.
func (s *Sum) setBase(n int) {
	if cap(s.rows) < n {
		grown := make([]point.Affine, n, max(n, min(2*cap(s.rows), n+n/2)))
		copy(grown, s.rows)
		s.rows = grown
	}
	s.rows = s.rows[:max(n, len(s.rows))]
}

// resize returns a slice of length n, with the memory of v if that is enough. Its elements may
// hold leftovers.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// SetFull makes k·p the full term number i.
func (s *Sum) SetFull(i int, k *scalar.Scalar, p *point.Affine) {
	k1, k2 := k.Split()
	s.set(i, &k1, &k2, p)
}

// SetShort makes (u + v·λ)·p the short term number i. u and v must be below 2^64 in magnitude.
func (s *Sum) SetShort(i int, u, v *scalar.Half, p *point.Affine) {
	if u.Hi|v.Hi != 0 {
		panic("sums: a short half scalar is too long")
	}
	s.set(s.full+i, u, v, p)
}

func (s *Sum) set(i int, k1, k2 *scalar.Half, p *point.Affine) {
	s.halves[2*i] = half{k1.Lo, k1.Hi, uint64(k1.Neg)}
	s.halves[2*i+1] = half{k2.Lo, k2.Hi, uint64(k2.Neg)}
	s.rows[firstBase+2*i] = *p
}

// isSet returns whether term i, full terms first, is not zero.
func (s *Sum) isSet(i int) bool {
	k1, k2 := &s.halves[2*i], &s.halves[2*i+1]
	return k1[0]|k1[1]|k2[0]|k2[1] != 0
}

// Result sets r to the sum of the terms and uses them up: the next call must be Reset. It is
// exact for every input. The crew helps if the sum is long enough. If ctx ends before the sum
// is there, its error is returned, r is not set, and the terms are as they were: Result may be
// called again.
func (s *Sum) Result(ctx context.Context, r *point.Jacobian, c *crew.Crew) error {
	p := choose(s.full, s.short)
	if err := ctx.Err(); err != nil {
		return err
	}
	switch p.method {
	case interleaved:
		s.interleave(r)
		return nil
	case inLanes:
		if s.strausLanes(r) {
			return nil
		}
		p.windows = cut(profile.Current().Sums.ExceptionWindows)
	case inPairs:
		if s.strausPairs(r, &profile.Current().Sums) {
			return nil
		}
		p.windows = cut(profile.Current().Sums.ExceptionWindows)
	}
	return s.pippenger(ctx, r, &p, c)
}

// IsZero returns whether the sum of the terms is the point at infinity. Otherwise it is as
// Result.
func (s *Sum) IsZero(ctx context.Context, c *crew.Crew) (bool, error) {
	var r point.Jacobian
	if err := s.Result(ctx, &r, c); err != nil {
		return false, err
	}
	return r.IsInfinity().Bool(), nil
}
