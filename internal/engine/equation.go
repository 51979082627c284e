package engine

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// An equation is the working memory of the method holds, which later calls use again. The zero
// value is ready to use. Only one call at a time may use an equation.
type equation struct {
	rows    []*row
	team    *forkjoin.Team
	seed    [32]byte
	digests [][32]byte // one for each segment of segmentRows rows

	// For each row, the numbers a and b of its equation a·G + b·P − R = 0. P and R are the points
	// with an even y and the x coordinates of the key and of the nonce.
	a, b []scalar.Scalar
	x    []field.Element // by row, the x coordinate of R
	z    []scalar.Scalar // the row's coefficient, if its nonce has no short term

	// The points whose scalars have full length: first the distinct keys, then the nonces that
	// occur in several rows. A nonce that is also a key has no term of its own. All other nonces
	// have short terms.
	points []point.Affine
	keys   int             // number of keys in points
	shorts int32           // number of nonces with short terms
	full   []scalar.Scalar // by point, its scalar
	key    []int32         // by row, the index of its key in points
	nonce  []int32         // by row, the index of its nonce in points, or ^k for the short term k

	known pointTable

	nonces []point.Affine // by row, its nonce point

	workers []equationWorker
	sum     sums.Sum
}

// An equationWorker is the memory of one worker of an equation.
type equationWorker struct {
	base scalar.Scalar // the worker's part of G's scalar

	transcript hash.Transcript // here because it would not stay on the stack
	lanes      *lanewise.Lanes // for divisions
}

// holds reports whether all rows are valid, by one equation for all of them:
//
//	Σ z_i·(a_i·G + b_i·P_i − R_i) = 0, z_0 = 1,
//
// where every other z_i is u + v·λ, and the 64-bit numbers u and v are expanded from a hash of all
// rows. If all rows are valid, the equation always holds. If a row is not valid, the equation
// holds for at most one in 2^128 of the possible z, and no choice of rows makes such a z more
// probable (docs/batch-soundness.md).
//
// Every row has an equation, and there are at most (sums.MaxTerms-1)/2 rows: each adds at most two
// terms, one for its key and one for its nonce, and G has one. With a wrong recovery id, holds
// returns false even if the signature is valid.
//
// holds uses the goroutines of the team c, and returns an error if ctx ends first.
func (e *equation) holds(
	ctx context.Context, s *scheme, rows []*row, c *forkjoin.Team,
) (bool, error) {
	e.rows, e.team = rows, c
	defer func() {
		c.End()
		e.rows, e.team = nil, nil // drop references to the caller's memory
	}()
	e.known.draw()
	if !e.set(s) {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if found, err := e.find(ctx); !found {
		return false, err
	}
	e.terms()
	return e.sum.IsZero(ctx, e.team)
}

// These are the numbers of rows, or points, that the steps of an equation process at a time. They
// are the same on every machine.
const (
	equationUnit = 2 * hash.Sixteen // rows whose coefficients one call of hash.Expand returns
	segmentRows  = 256              // rows in one digest; a change changes all coefficients
	maxLift      = 64               // points in one call of LiftX
)

// equationWorkers returns the number of workers for an equation with the given number of rows. It
// is at most limit, or at most GOMAXPROCS if limit is below 1.
func equationWorkers(rows, limit int) int {
	return min(forkjoin.Limit(limit), rows/profile.Current().EquationPerWorker, sums.MaxWorkers)
}

// set sets the fields a, b and x for all rows, and the seed of the coefficients, a digest of those
// fields and the keys. It returns false if it finds a row that is not valid.
func (e *equation) set(s *scheme) bool {
	n := len(e.rows)
	e.a, e.b, e.z, e.x = grow(e.a, n), grow(e.b, n), grow(e.z, n), grow(e.x, n)
	e.digests = grow(e.digests, (n+segmentRows-1)/segmentRows)
	e.full = grow(e.full, n) // scratch memory of equationECDSA; merge sets it later
	if workers := e.team.Workers(); len(e.workers) < workers {
		e.workers = make([]equationWorker, workers)
	}
	var bad atomic.Bool
	work := func(worker, lo, hi int) {
		if bad.Load() || !s.equation(e, worker, lo, hi) {
			bad.Store(true)
			return
		}
		e.hash(worker, lo, hi)
	}
	for b := e.team.Begin(n, segmentRows, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	if bad.Load() {
		return false
	}
	hash.Join(&e.seed, uint64(n), e.digests)
	return true
}

// hash sets the digest of one segment, the rows from lo to hi.
func (e *equation) hash(worker, lo, hi int) {
	t := &e.workers[worker].transcript
	*t = hash.Transcript{}
	for i := lo; i < hi; i++ {
		row := t.Next()
		// Parsing, and the functions of package keys, make coordinates canonical, so equal batches
		// have equal coefficients. All bits of a coordinate that is not canonical would still be
		// hashed, so even it would give a sender no choice of coefficients.
		e.x[i].PutWords((*[32]byte)(row[0:]))
		e.rows[i].p.X.PutWords((*[32]byte)(row[32:]))
		e.a[i].PutWords((*[32]byte)(row[64:]))
		e.b[i].PutWords((*[32]byte)(row[96:]))
	}
	t.Sum(&e.digests[lo/segmentRows])
}

// find merges equal points, and computes the missing y coordinates of nonces and keys. It returns
// false if no point of the curve has one of the x coordinates, and an error if ctx ends first.
func (e *equation) find(ctx context.Context) (found bool, err error) {
	n, size := len(e.rows), min(profile.Current().LiftRows, maxLift)
	e.nonces = grow(e.nonces, n)
	var bad, ended atomic.Bool
	stopped := func() bool { // once true, always true
		if ctx.Err() != nil {
			ended.Store(true)
		}
		return ended.Load() || bad.Load()
	}
	defer func() {
		if ended.Load() {
			found, err = false, cmp.Or(ctx.Err(), context.Canceled) // an error even if Err is nil now
		}
	}()
	liftNonces := func(_, lo, hi int) {
		if stopped() {
			return
		}
		for i := lo; i < hi; i++ {
			e.nonces[i] = point.Affine{X: e.x[i]}
		}
		if !liftEven(e.nonces[lo:hi]) {
			bad.Store(true)
		}
	}
	b := e.team.Begin(n, size, liftNonces)
	e.merge(stopped) // while the other workers lift nonces
	for b.Next() {
		liftNonces(0, b.Lo, b.Hi)
	}
	if stopped() {
		return false, nil
	}
	if len(e.points) > e.keys {
		for i, k := range e.nonce {
			if int(k) >= e.keys {
				e.points[k] = e.nonces[i]
			}
		}
	}
	// Often all keys were parsed with both coordinates. Skip the keys at the front of the list that
	// have both.
	first := 0
	for first < e.keys && e.points[first].Y.IsZero() == 0 {
		first++
	}
	todo := e.points[first:e.keys]
	liftKeys := func(_, lo, hi int) {
		if !stopped() && !liftEven(todo[lo:hi]) {
			bad.Store(true)
		}
	}
	for b := e.team.Begin(len(todo), size, liftKeys); b.Next(); {
		liftKeys(0, b.Lo, b.Hi)
	}
	return !stopped(), nil
}

// liftEven sets the y coordinate of each of at most maxLift points to the even one. It returns
// false if at least one of the x coordinates belongs to no point of the curve.
func liftEven(points []point.Affine) bool {
	var odd, ok [maxLift]bool
	n := len(points)
	lanewise.LiftX(points, odd[:n], ok[:n])
	return !slices.Contains(ok[:n], false)
}

// terms sets the terms of the sum: full-length terms for the points and for G, and short terms for
// all other nonces.
func (e *equation) terms() {
	n, full := len(e.rows), len(e.points)
	e.sum.Reset(full+1, int(e.shorts))
	for i := range e.workers {
		e.workers[i].base = scalar.Scalar{}
	}
	multiply := func(worker, lo, hi int) { e.multiply(&e.workers[worker].base, lo, hi) }
	for b := e.team.Begin(n, equationUnit, multiply); b.Next(); {
		multiply(0, b.Lo, b.Hi)
	}
	var base scalar.Scalar
	for i := range e.workers {
		base.Add(&base, &e.workers[i].base)
	}
	var g point.Affine
	e.sum.SetFull(full, &base, g.SetGenerator())
	e.collect()
	set := func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			e.sum.SetFull(k, &e.full[k], &e.points[k])
		}
	}
	for b := e.team.Begin(full, equationUnit, set); b.Next(); {
		set(0, b.Lo, b.Hi)
	}
}

// collect adds up the scalar of each point: the products that the method multiply has left for the
// rows with the point as their key or nonce. It runs on one worker, because many rows may share a
// point.
func (e *equation) collect() {
	for i, k := range e.key {
		e.full[k].Add(&e.full[k], &e.b[i])
		if k := e.nonce[i]; k >= 0 {
			e.full[k].Sub(&e.full[k], &e.z[i])
		}
	}
}

// multiply multiplies the equations of the rows from lo to hi by their coefficients z. It sets the
// short terms of their nonces, replaces each b by z·b, and adds each z·a to base. For a nonce with
// a full-length term it stores z for the method collect.
func (e *equation) multiply(base *scalar.Scalar, lo, hi int) {
	var digests [hash.Sixteen][32]byte
	hash.Expand(&digests, &e.seed, uint64(lo/2))
	var coefficients [equationUnit]struct{ u, v uint64 }
	var zs, products [equationUnit]scalar.Scalar
	var lambda, u scalar.Scalar
	lambda.SetLimbs(&[4]uint64{scalar.Lambda0, scalar.Lambda1, scalar.Lambda2, scalar.Lambda3})
	z, lambdas := zs[:hi-lo], products[:hi-lo]
	for i := range z {
		d := digests[i/2][16*(i%2):]
		c := &coefficients[i]
		c.u, c.v = binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:])
		if lo+i == 0 {
			c.u, c.v = 1, 0
		}
		z[i].SetUint64(c.v)
		lambdas[i] = lambda
	}
	lanes.MulScalars(z, lambdas)
	for i := range z {
		z[i].Add(&z[i], u.SetUint64(coefficients[i].u))
	}
	lanes.MulScalars(e.b[lo:hi], z)
	copy(products[:], e.a[lo:hi])
	lanes.MulScalars(products[:len(z)], z)
	for i := range z {
		base.Add(base, &products[i])
		if k := e.nonce[lo+i]; k < 0 {
			minusU, minusV := minus(coefficients[i].u), minus(coefficients[i].v)
			e.sum.SetShort(int(^k), &minusU, &minusV, &e.nonces[lo+i])
		} else {
			e.z[lo+i] = z[i]
		}
	}
}

// minus returns −x.
func minus(x uint64) scalar.Half {
	h := scalar.Half{Lo: x}
	if x != 0 {
		h.Neg = 1
	}
	return h
}

// grow returns a slice of n elements, in the memory of v if that is large enough. The elements may
// hold old values.
func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
