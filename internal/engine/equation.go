package engine

import (
	"context"
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// An Equation is the memory that Holds needs, kept from one call to the next. The
// zero value is ready. It serves one call at a time.
type Equation struct {
	rows    []Row
	workers int
	seed    [32]byte

	// Of each row, for a key and a nonce with even y coordinates:
	//	a·G + b·P − R = 0.
	a, b []scalar.Scalar
	x    []field.Element // of R

	// The points that have a term with a full scalar come first: the keys that
	// differ, and nonces that are a key's or of several rows. The others are
	// nonces with short scalars.
	points []point.Affine
	full   []scalar.Scalar // of the former
	key    []int32         // of each row, its key's place in points
	nonce  []int32         // of each row, its nonce's there, or ^k for the short term k
	known  pointTable

	base   []scalar.Scalar // of G, by worker
	room   []scalar.Scalar
	lifter []*vartime.Lanes // by worker
	sum    vartime.Sum
}

// Holds reports whether all rows are valid, by one equation for all of them:
//
//	Σ z_i·(a_i·G + b_i·P_i − R_i) = 0, z_0 = 1,
//
// where the other z_i are u + v·λ for 64-bit numbers u and v that are expanded
// from a hash of all rows. If a row is not valid, the equation holds for at most
// one in 2^128 of the z, and whoever makes the rows cannot choose among them:
// docs/batch-soundness.md. If all are valid it always holds.
//
// The rows are of kind Schnorr, or of kind ECDSA with recovery ids, without which
// R_i is not known and the answer is false. A wrong recovery id makes it false as
// well, though the row may be valid without it.
//
// It takes at most so many goroutines, the caller's among them; with workers
// below 1, as many as GOMAXPROCS says. If ctx ends first, its error is returned.
func (e *Equation) Holds(ctx context.Context, kind Kind, rows []Row, workers int) (bool, error) {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	for i := range rows {
		r := &rows[i]
		if r.verdict != Unchecked || kind == ECDSA && (r.nonce == 0 || r.high) {
			return false, nil
		}
	}
	parts := (len(rows) + maxEquation - 1) / maxEquation
	for k := range parts {
		e.rows = rows[len(rows)*k/parts : len(rows)*(k+1)/parts]
		e.workers = max(1, min(workers, len(e.rows)/rowsPerWorker))
		holds, err := e.holds(ctx, kind)
		if err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// maxEquation is the most rows of one equation: each has two terms at most, since
// one that makes a nonce's term full has none for its own, and G one.
const maxEquation = (vartime.MaxTerms - 1) / 2

// equationUnit is a number of rows of which workers take multiples: enough for
// two square roots in lanes, and for the coefficients of one call of hash.Expand.
const equationUnit = 2 * hash.Sixteen

func (e *Equation) holds(ctx context.Context, kind Kind) (bool, error) {
	n := len(e.rows)
	e.a, e.b, e.x = grow(e.a, n), grow(e.b, n), grow(e.x, n)
	if kind == ECDSA {
		if !e.setECDSA() {
			return false, nil
		}
	} else {
		e.setSchnorr()
	}
	e.hash()
	e.merge()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if !e.lift() {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}

	full := len(e.full)
	e.sum.Reset(full+1, len(e.points)-full)
	e.base = grow(e.base, e.workers)
	clear(e.base)
	e.share(n, func(worker, lo, hi int) { e.terms(&e.base[worker], lo, hi) })
	for i := range e.base[1:] {
		e.base[0].Add(&e.base[0], &e.base[1+i])
	}
	for i, k := range e.key {
		e.full[k].Add(&e.full[k], &e.b[i])
		if k := e.nonce[i]; k >= 0 {
			e.full[k].Sub(&e.full[k], &e.a[i])
		}
	}
	for k := range e.full {
		e.sum.SetFull(k, &e.full[k], &e.points[k])
	}
	var g point.Affine
	e.sum.SetFull(full, &e.base[0], g.SetGenerator())
	c := crew.New(e.workers)
	defer c.Stop()
	return e.sum.IsZero(ctx, c)
}

// setSchnorr sets a, b and x.
func (e *Equation) setSchnorr() {
	for i := range e.rows {
		r := &e.rows[i]
		e.a[i], e.b[i], e.x[i] = r.a, r.b, r.x
		if !r.lift && r.p.Y.IsOdd().Bool() {
			e.b[i].Neg(&r.b)
		}
	}
}

// setECDSA sets a, b and x. For u1 = z/s and u2 = r/s, R = u1·G + u2·P; if R has an
// odd y, all is negated. It returns false if there is no such R.
func (e *Equation) setECDSA() bool {
	e.room = grow(e.room, len(e.rows))
	for i := range e.rows {
		e.a[i] = e.rows[i].b
	}
	scalar.BatchInvertVartime(e.a, e.room)
	for i := range e.rows {
		r := &e.rows[i]
		id := r.nonce - 1
		e.x[i] = r.x
		toScalar(&e.b[i], &r.x)
		if id&2 != 0 && !vartime.AddOrder(&e.x[i], &e.b[i]) {
			return false
		}
		odd := r.lift && r.odd || !r.lift && r.p.Y.IsOdd().Bool()
		inverse := e.a[i]
		if id&1 != 0 {
			inverse.Neg(&inverse)
		}
		e.a[i].Mul(&r.a, &inverse)
		if odd {
			inverse.Neg(&inverse)
		}
		e.b[i].Mul(&e.b[i], &inverse)
	}
	return true
}

// hash sets the seed to the digest of all that the equation is made of.
func (e *Equation) hash() {
	var t hash.Transcript
	for i := range e.rows {
		row := t.Next()
		for k, limbs := range [4][4]uint64{e.x[i].Limbs(), e.rows[i].p.X.Limbs(), e.a[i].Limbs(), e.b[i].Limbs()} {
			for l, limb := range limbs {
				binary.LittleEndian.PutUint64(row[32*k+8*l:], limb)
			}
		}
	}
	t.Sum(&e.seed)
}

// lift finds the points of the nonces and of the keys of which only x is known.
// It reports whether there are any.
func (e *Equation) lift() bool {
	full := len(e.full)
	for i, k := range e.nonce {
		if k < 0 {
			e.points = append(e.points, point.Affine{X: e.x[i]})
		}
	}
	// Keys that were parsed are not lifted again: they are few in a block, or
	// all there are.
	first := 0
	for first < full && e.points[first].Y.IsZero() == 0 {
		first++
	}
	todo := e.points[first:]
	for len(e.lifter) < e.workers {
		e.lifter = append(e.lifter, nil)
	}
	var bad atomic.Bool
	e.share(len(todo), func(worker, lo, hi int) {
		const most = 8 * equationUnit
		var w primitives = portable{}
		if useLanes(Schnorr, hi-lo) {
			if e.lifter[worker] == nil {
				e.lifter[worker] = vartime.NewLanes(lanes.Width) // lifting needs no more
			}
			w = e.lifter[worker]
		}
		var odd, ok [most]bool
		for ; lo < hi; lo += most {
			part := todo[lo:min(hi, lo+most)]
			w.LiftX(part, odd[:len(part)], ok[:len(part)])
			for _, good := range ok[:len(part)] {
				if !good {
					bad.Store(true)
					return
				}
			}
		}
	})
	return !bad.Load()
}

// terms sets the nonces' short terms of the rows from lo, which begins a unit, to
// hi, multiplies their b by their coefficients, adds their part of G's scalar to
// base, and leaves the coefficients of nonces with a full term in a.
func (e *Equation) terms(base *scalar.Scalar, lo, hi int) {
	var lambda scalar.Scalar
	lambda.SetLimbs(&[4]uint64{0xdf02967c1b23bd72, 0x122e22ea20816678, 0xa5261c028812645a, 0x5363ad4cc05c30e0})
	var digests [hash.Sixteen][32]byte
	for i := lo; i < hi; i++ {
		if i%equationUnit == 0 {
			hash.Expand(&digests, &e.seed, uint64(i/2))
		}
		d := digests[i/2%hash.Sixteen][16*(i%2):]
		u, v := binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:])
		if i == 0 {
			u, v = 1, 0
		}
		var z, t scalar.Scalar
		z.SetLimbs(&[4]uint64{v})
		z.Mul(&z, &lambda)
		t.SetLimbs(&[4]uint64{u})
		z.Add(&z, &t)
		t.Mul(&z, &e.a[i])
		base.Add(base, &t)
		e.b[i].Mul(&e.b[i], &z)

		if k := e.nonce[i]; k < 0 {
			minusU, minusV := minus(u), minus(v)
			e.sum.SetShort(int(^k), &minusU, &minusV, &e.points[len(e.full)+int(^k)])
		} else {
			e.a[i] = z
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

// share calls f for parts of n that make all of it, in units.
func (e *Equation) share(n int, f func(worker, lo, hi int)) {
	units := (n + equationUnit - 1) / equationUnit
	part := func(k int) int { return min(n, units*k/e.workers*equationUnit) }
	var others sync.WaitGroup
	for k := 1; k < e.workers; k++ {
		others.Go(func() { f(k, part(k), part(k+1)) })
	}
	f(0, 0, part(1))
	others.Wait()
}

// grow returns a slice of n elements of any value, v's memory if there is enough.
func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
