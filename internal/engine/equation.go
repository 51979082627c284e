package engine

import (
	"context"
	"encoding/binary"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/blocks"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// An Equation is the memory that Holds needs, kept from one call to the next. The
// zero value is ready. It serves one call at a time.
type Equation struct {
	rows    Rows
	crew    *crew.Crew
	seed    [32]byte
	digests [][32]byte // of segments of the rows

	// Of each row, for a key and a nonce with even y coordinates:
	//	a·G + b·P − R = 0.
	// In BIP-340, a and x are those of the rows.
	a, b []scalar.Scalar
	x    []field.Element // of R
	// The memory for a and x in ECDSA.
	quotients []scalar.Scalar
	nonceXs   []field.Element
	z         []scalar.Scalar // coefficients of rows whose nonce has no short term

	// The points that have a term with a full scalar: all different keys, and after
	// them the nonces that several rows have. A nonce that is the key of a row has no
	// term of its own. All other nonces have short terms.
	points []point.Affine
	keys   int             // how many of the points are keys
	shorts int32           // how many nonces have short terms
	full   []scalar.Scalar // of the points
	key    []int32         // of each row, its key's place in points
	nonce  []int32         // of each row, its nonce's there, or ^k for the short term k
	known  pointTable

	nonces []point.Affine // of each row

	base   []scalar.Scalar // of G, by worker
	lifter []*blocks.Lanes // by worker
	sum    sums.Sum
}

// Holds reports whether all rows are valid, by one equation for all of them:
//
//	Σ z_i·(a_i·G + b_i·P_i − R_i) = 0, z_0 = 1,
//
// where the other z_i are u + v·λ for 64-bit numbers u and v that are expanded
// from a hash of all rows. If a row is not valid, the equation holds for at most
// one in 2^128 of the z, and the choice of rows does not help to find those:
// docs/batch-soundness.md. If all rows are valid it always holds.
//
// The rows are of kind Schnorr, or of kind ECDSA with recovery ids, without which
// R_i is not known and the answer is false. A wrong recovery id makes it false as
// well, though the row may be valid without it.
//
// It takes at most workers goroutines, the caller's among them; with workers
// below 1, at most GOMAXPROCS. If ctx ends first, its error is returned;
// there is also an error if rows of the kind have no equation.
func (e *Equation) Holds(ctx context.Context, kind Kind, rows *Rows, workers int) (bool, error) {
	c := crew.New(equationWorkers(rows.Len(), workers))
	defer c.Stop()
	return e.holdsWith(ctx, kind, rows, c)
}

// holdsWith is Holds with the goroutines of a crew.
func (e *Equation) holdsWith(
	ctx context.Context, kind Kind, rows *Rows, c *crew.Crew,
) (bool, error) {
	if kind != Schnorr && kind != ECDSA {
		return false, errKind
	}
	n := rows.Len()
	for i := range n {
		if !rows.hasEquation(kind, i) {
			return false, nil
		}
	}
	e.crew = c
	defer e.forget()
	parts := (n + maxEquation - 1) / maxEquation
	for k := range parts {
		rows.windowTo(&e.rows, n*k/parts, n*(k+1)/parts)
		holds, err := e.holds(ctx, kind)
		if err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// forget drops what belongs to a caller.
func (e *Equation) forget() { e.crew, e.rows, e.a, e.x = nil, Rows{}, nil, nil }

// maxEquation is the most rows of one equation: each has two terms at most, since
// one that makes a nonce's term full has none for its own, and G one.
const maxEquation = (sums.MaxTerms - 1) / 2

// The sizes of blocks of rows that do not depend on the machine. equationUnit rows have
// the coefficients of one call of hash.Expand. segmentRows are hashed by themselves, and
// so coefficients depend on it. liftRoom points are lifted with one piece of stack.
const (
	equationUnit = 2 * hash.Sixteen
	segmentRows  = 256
	liftRoom     = 64
)

// equationWorkers returns how many workers an equation for a number of rows has: at most
// most, or at most GOMAXPROCS if that is below 1.
func equationWorkers(rows, most int) int {
	return min(limit(most), rows/profile.Current().EquationPerWorker, sums.MaxWorkers)
}

// limit returns the most workers that a call may have: its own number, or GOMAXPROCS if
// that is below 1.
func limit(workers int) int {
	if workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

func (e *Equation) holds(ctx context.Context, kind Kind) (bool, error) {
	if !e.set(kind) {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if !e.find() {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	e.terms()
	return e.sum.IsZero(ctx, e.crew)
}

// set sets a, b and x, and the seed to the digest of all that the equation is made
// of. It returns false if some row is not valid, whatever the equation says.
func (e *Equation) set(kind Kind) bool {
	n := e.rows.Len()
	e.b, e.z = grow(e.b, n), grow(e.z, n)
	if kind == ECDSA {
		e.quotients, e.nonceXs = grow(e.quotients, n), grow(e.nonceXs, n)
		e.a, e.x = e.quotients, e.nonceXs
	} else {
		e.a, e.x = e.rows.a, e.rows.x
	}
	e.digests = grow(e.digests, (n+segmentRows-1)/segmentRows)
	var bad atomic.Bool
	e.crew.Share(n, segmentRows, func(_, lo, hi int) {
		if kind == Schnorr {
			e.setSchnorr(lo, hi)
		} else if !e.setECDSA(lo, hi) {
			bad.Store(true)
			return
		}
		e.hash(lo, hi)
	})
	if bad.Load() {
		return false
	}
	hash.Join(&e.seed, uint64(n), e.digests)
	return true
}

// setSchnorr sets b of the rows from lo to hi, and what is missing of a.
func (e *Equation) setSchnorr(lo, hi int) {
	r := &e.rows
	r.hash(lo, hi)
	for i := lo; i < hi; i++ {
		e.b[i] = r.b[i]
		if r.isOdd(i) {
			e.b[i].Neg(&e.b[i])
		}
	}
}

// setECDSA sets a, b and x of the rows from lo to hi. For u1 = z/s and u2 = r/s,
// R = u1·G + u2·P; if R has an odd y, all is negated. It returns false if there is no
// such R.
func (e *Equation) setECDSA(lo, hi int) bool {
	r := &e.rows
	copy(e.a[lo:hi], r.b[lo:hi])
	scalar.BatchInvertVartime(e.a[lo:hi], e.z[lo:hi])
	for i := lo; i < hi; i++ {
		id := r.flags[i].id() - 1
		e.x[i] = r.x[i]
		toScalar(&e.b[i], &r.x[i])
		if id&2 != 0 && !vartime.AddOrder(&e.x[i], &e.b[i]) {
			return false
		}
		inverse := e.a[i]
		if id&1 != 0 {
			inverse.Neg(&inverse)
		}
		e.a[i].Mul(&r.a[i], &inverse)
		if r.isOdd(i) {
			inverse.Neg(&inverse)
		}
		e.b[i].Mul(&e.b[i], &inverse)
	}
	return true
}

// hash sets the digest of the segment that the rows from lo to hi are.
func (e *Equation) hash(lo, hi int) {
	var t hash.Transcript
	for i := lo; i < hi; i++ {
		row := t.Next()
		// The coordinates are canonical: parsing and package keys see to it, so that equal
		// batches have equal coefficients. Were one of them not, what is hashed would still
		// tell which number it is, and nobody could choose coefficients.
		e.x[i].PutWords((*[32]byte)(row[0:]))
		e.rows.p[i].X.PutWords((*[32]byte)(row[32:]))
		e.a[i].PutWords((*[32]byte)(row[64:]))
		e.b[i].PutWords((*[32]byte)(row[96:]))
	}
	t.Sum(&e.digests[lo/segmentRows])
}

// find lifts the nonces and the keys of which only x is known, and merges equal ones. It
// returns false if one of them is no point of the curve.
func (e *Equation) find() bool {
	n, size := e.rows.Len(), profile.Current().LiftRows
	e.nonces = grow(e.nonces, n)
	for len(e.lifter) < e.crew.Workers() {
		e.lifter = append(e.lifter, nil)
	}
	var bad atomic.Bool
	blocks := crew.NewBlocks(n, size)
	e.crew.Do(func(worker int) {
		if worker == 0 {
			e.merge()
		}
		for lo, hi := blocks.Take(); lo < hi && !bad.Load(); lo, hi = blocks.Take() {
			for i := lo; i < hi; i++ {
				e.nonces[i] = point.Affine{X: e.x[i]}
			}
			if !e.lift(worker, e.nonces[lo:hi]) {
				bad.Store(true)
			}
		}
	})
	if bad.Load() {
		return false
	}
	if len(e.points) > e.keys {
		for i, k := range e.nonce {
			if int(k) >= e.keys {
				e.points[k] = e.nonces[i]
			}
		}
	}
	// If the first keys were parsed with both coordinates, as all of a batch often are,
	// those are not lifted.
	first := 0
	for first < e.keys && e.points[first].Y.IsZero() == 0 {
		first++
	}
	todo := e.points[first:e.keys]
	e.crew.Share(len(todo), size, func(worker, lo, hi int) {
		if !bad.Load() && !e.lift(worker, todo[lo:hi]) {
			bad.Store(true)
		}
	})
	return !bad.Load()
}

// lift sets the y coordinates of points to the even ones. It returns false if one of
// them is no point of the curve.
func (e *Equation) lift(worker int, points []point.Affine) bool {
	var w primitives = portable{}
	if useLanes(Schnorr, len(points)) {
		if e.lifter[worker] == nil {
			e.lifter[worker] = blocks.NewLanes(lanes.Width) // lifting needs no more
		}
		w = e.lifter[worker]
	}
	var odd, ok [liftRoom]bool
	for len(points) > 0 {
		n := min(len(points), liftRoom)
		w.LiftX(points[:n], odd[:n], ok[:n])
		if slices.Contains(ok[:n], false) {
			return false
		}
		points = points[n:]
	}
	return true
}

// terms sets the terms of the sum: full ones of the points and of G, and short ones.
func (e *Equation) terms() {
	n, full := e.rows.Len(), len(e.points)
	e.sum.Reset(full+1, int(e.shorts))
	e.base = grow(e.base, e.crew.Workers())
	clear(e.base)
	e.crew.Share(n, equationUnit, func(worker, lo, hi int) { e.multiply(&e.base[worker], lo, hi) })
	for i := range e.base[1:] {
		e.base[0].Add(&e.base[0], &e.base[1+i])
	}
	var g point.Affine
	e.sum.SetFull(full, &e.base[0], g.SetGenerator())
	e.collect()
	e.crew.Share(full, equationUnit, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			e.sum.SetFull(k, &e.full[k], &e.points[k])
		}
	})
}

// collect adds up the full scalars of points: what multiply has left of every row whose
// key or nonce a point is. One worker does it: a point may be of many rows.
func (e *Equation) collect() {
	for i, k := range e.key {
		e.full[k].Add(&e.full[k], &e.b[i])
		if k := e.nonce[i]; k >= 0 {
			e.full[k].Sub(&e.full[k], &e.z[i])
		}
	}
}

// multiply sets the nonces' short terms of a unit of rows, from lo to hi, multiplies
// their b by their coefficients, adds their part of G's scalar to base, and leaves the
// coefficients of nonces with a full term in z.
func (e *Equation) multiply(base *scalar.Scalar, lo, hi int) {
	var digests [hash.Sixteen][32]byte
	hash.Expand(&digests, &e.seed, uint64(lo/2))
	var room [equationUnit]struct{ u, v uint64 }
	var zs, lambdas, products [equationUnit]scalar.Scalar
	for i := range hi - lo {
		d := digests[i/2][16*(i%2):]
		c := &room[i]
		c.u, c.v = binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:])
		if lo+i == 0 {
			c.u, c.v = 1, 0
		}
		zs[i].SetLimbs(&[4]uint64{c.v})
		lambdas[i].SetLimbs(&[4]uint64{scalar.Lambda0, scalar.Lambda1, scalar.Lambda2, scalar.Lambda3})
	}
	z := zs[:hi-lo]
	lanes.MulScalars(z, lambdas[:len(z)])
	for i := range z {
		var u scalar.Scalar
		u.SetLimbs(&[4]uint64{room[i].u})
		z[i].Add(&z[i], &u)
	}
	lanes.MulScalars(e.b[lo:hi], z)
	copy(products[:], e.a[lo:hi])
	lanes.MulScalars(products[:len(z)], z)
	for i := range z {
		base.Add(base, &products[i])
		if k := e.nonce[lo+i]; k < 0 {
			minusU, minusV := minus(room[i].u), minus(room[i].v)
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

// grow returns a slice of n elements of any value, v's memory if there is enough.
func grow[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
