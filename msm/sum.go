package msm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// SumVartime returns the sum of scalars[i]·points[i]. The sum of no terms is the identity.
// SumVartime returns an error if the numbers of scalars and points differ. If ctx is done before
// the sum is computed, SumVartime returns the error of ctx.
//
// A sum needs about 200 bytes of memory per term. Each worker needs another one to six megabytes,
// more for more terms. Long sums are computed in parts. So two workers need at most some 24 MB, and
// 64 workers some 340 MB, for a sum of any length. The memory is kept for the next sum until the
// garbage collector frees it.
func SumVartime(
	ctx context.Context, scalars []group.Scalar, points []group.Point, o *Options,
) (group.Point, error) {
	ctx = forkjoin.Context(ctx)
	options := o.get()
	if p, ok := options.packOnDevice(ctx, scalars, points); ok {
		return p, nil
	}
	a := takeAccumulator(options)
	defer keepAccumulator(a)
	c := a.team(len(scalars))
	defer c.Stop()
	if err := a.add(ctx, scalars, points, c); err != nil {
		return group.Point{}, err
	}
	return a.result(ctx, c)
}

// accumulators keeps the memory of sums, which is public data, for later sums. Allocating the
// memory for a thousand terms takes as long as their sum.
//
//layers:allow a pool of memory for public data
var accumulators sync.Pool // *Accumulator

// takeAccumulator returns an empty Accumulator, perhaps with the memory of an earlier one.
func takeAccumulator(o Options) *Accumulator {
	a, _ := accumulators.Get().(*Accumulator)
	if a == nil {
		a = new(Accumulator)
	}
	a.options = o
	return a
}

// keepAccumulator returns an Accumulator from takeAccumulator to the pool.
func keepAccumulator(a *Accumulator) {
	a.Reset()
	a.options = Options{} // a pooled Accumulator must not keep a device alive
	accumulators.Put(a)
}

// An Accumulator computes a sum of terms that arrive in several calls, or that do not fit in
// memory. With Reset it computes one sum after another. It keeps at most 65,536 terms, a part of
// the sum, and the memory of its workers: some 24 MB with two workers, for a sum of any length.
//
// The zero value is an empty sum, ready to use. AddVartime and SumVartime of a nil Accumulator
// return errors. Only one goroutine at a time may use an Accumulator. A copy of an Accumulator that
// has been used panics when it is used.
type Accumulator struct {
	self        *Accumulator // the address of the Accumulator at its first use
	options     Options
	sum         sums.Sum
	terms       int            // number of terms of the current part
	added       int            // number of terms of the current call in earlier parts
	total       point.Jacobian // sum of the earlier parts
	normalizers []*normalizer  // by worker, its memory
}

var errNil = errors.New("msm: a nil Accumulator")

// partTerms is the number of terms in a part of the sum. A larger part would take fewer additions
// per term, but wait longer for memory. The documentation of Accumulator states this number.
const partTerms = 1 << 16

// NewAccumulator returns an empty sum with the options o. If o has a device, a call of AddVartime
// with a number of terms that the device accepts copies the terms, 96 bytes each, has the device
// sum them, adds the result to the total, and does not keep the terms. The CPU sums the terms of
// all other calls, and of calls on which the device fails.
func NewAccumulator(o *Options) *Accumulator { return &Accumulator{options: o.get()} }

// used returns an error if a is nil. Every method calls it first. It panics if a is a copy of an
// Accumulator, as a strings.Builder does: the copy shares memory with the original, and each would
// overwrite terms that the other has added.
func (a *Accumulator) used() error {
	if a == nil {
		return errNil
	}
	if a.self == nil {
		a.self = a
	} else if a.self != a {
		//layers:allow a wrong program; the sum would be wrong
		panic("msm: use of a copied Accumulator")
	}
	return nil
}

// Reset makes the sum empty again, and keeps the memory for later terms. It does nothing if a is
// nil.
func (a *Accumulator) Reset() {
	if a.used() != nil {
		return
	}
	a.empty()
	a.total = point.Jacobian{}
}

// AddVartime adds scalars[i]·points[i] to the sum, for every i. It returns an error if the numbers
// of scalars and points differ. If ctx is done before all terms are added, AddVartime returns the
// error of ctx. An error leaves the sum unchanged, so the call can be repeated.
func (a *Accumulator) AddVartime(
	ctx context.Context, scalars []group.Scalar, points []group.Point,
) error {
	if err := a.used(); err != nil {
		return err
	}
	ctx = forkjoin.Context(ctx)
	if p, ok := a.options.packOnDevice(ctx, scalars, points); ok {
		a.total.AddVartime(&a.total, (*keys.GroupPoint)(&p).Value())
		return nil
	}
	work := len(scalars) / 8 // storing a term takes a tenth of the time of summing it
	if a.terms+len(scalars) > partTerms {
		work = partTerms
	}
	c := a.team(work)
	defer c.Stop()
	return a.add(ctx, scalars, points, c)
}

// team returns a team of workers for a sum of the given number of terms.
func (a *Accumulator) team(terms int) *forkjoin.Team {
	return forkjoin.New(sums.WorkersFor(terms, forkjoin.Limit(a.options.Workers)))
}

// add implements AddVartime with the workers of the team c.
func (a *Accumulator) add(
	ctx context.Context, scalars []group.Scalar, points []group.Point, c *forkjoin.Team,
) error {
	if len(scalars) != len(points) {
		return fmt.Errorf("msm: %d scalars for %d points", len(scalars), len(points))
	}
	for len(a.normalizers) < c.Workers() {
		a.normalizers = append(a.normalizers, new(normalizer))
	}
	work := func(worker, from, to int) {
		for j, p := range a.normalizers[worker].affine(points[a.added+from : a.added+to]) {
			if p == (point.Affine{}) { // p is the identity
				continue
			}
			k := (*keys.GroupScalar)(&scalars[a.added+from+j]).Value()
			a.sum.SetFull(a.terms+from+j, k, &p)
		}
	}
	return a.addTerms(ctx, len(scalars), c, work, new(badTerm))
}

// addTerms adds n terms to the sum, in parts. For each part, workers call the function work with
// ranges of at most batchTerms terms. For every i with from ≤ i < to, work sets term a.terms+i of
// a.sum to term a.added+i of the call. It sets bad if a term is not valid. An error leaves the sum
// unchanged.
func (a *Accumulator) addTerms(
	ctx context.Context, n int, c *forkjoin.Team, work func(worker, from, to int), bad *badTerm,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.terms+n > partTerms {
		// First add the terms of earlier calls to the total, as a part of their own. If this call fails,
		// it can then restore the total.
		if err := a.finish(ctx, c); err != nil {
			return err
		}
	}
	before, kept, done := a.total, a.terms, false
	defer func() {
		if !done { // also if a method of ctx panics
			c.End()
			a.total, a.terms = before, kept
			a.sum.Resize(kept, 0)
		}
	}()
	for a.added = 0; ; a.added += partTerms {
		part := min(n-a.added, partTerms)
		a.sum.Resize(a.terms+part, 0)
		for b := c.Begin(part, batchTerms, work); b.Next(); {
			work(0, b.Lo, b.Hi)
		}
		err := bad.err
		if err == nil {
			a.terms += part
			if a.added+part == n {
				done = true
				return nil
			}
			err = a.finish(ctx, c)
		}
		if err != nil {
			return err
		}
	}
}

// SumVartime returns the sum of all terms so far. More terms can be added afterwards. If ctx is
// done before the sum is computed, SumVartime returns the error of ctx, and the call can be
// repeated.
func (a *Accumulator) SumVartime(ctx context.Context) (group.Point, error) {
	if err := a.used(); err != nil {
		return group.Point{}, err
	}
	ctx = forkjoin.Context(ctx)
	c := a.team(a.terms)
	defer c.Stop()
	return a.result(ctx, c)
}

// result implements SumVartime with the workers of the team c.
func (a *Accumulator) result(ctx context.Context, c *forkjoin.Team) (group.Point, error) {
	if err := a.finish(ctx, c); err != nil {
		return group.Point{}, err
	}
	var p group.Point
	g := (*keys.GroupPoint)(&p)
	g.Value().Set(&a.total)
	g.Changed()
	return p, nil
}

// finish adds the sum of the current part to the total, and empties the part. After an error the
// part still holds its terms.
func (a *Accumulator) finish(ctx context.Context, c *forkjoin.Team) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.terms == 0 {
		return nil
	}
	var part point.Jacobian
	if err := a.sum.Result(ctx, &part, c); err != nil {
		return err
	}
	a.total.AddVartime(&a.total, &part)
	a.empty()
	return nil
}

// empty removes the terms of the current part.
func (a *Accumulator) empty() {
	a.terms = 0
	a.sum.Reset(0, 0)
}
