package msm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// SumVartime returns the sum of scalars[i]·points[i]. The sum of nothing is the
// identity. There is an error if there are not as many points as scalars, and
// ctx's error if it ends before the sum is there.
//
// It takes about 200 bytes of memory a term and, the more terms the more, one to six
// megabytes for each worker. With two workers that is some 24 MB at most, with 64 some
// 340 MB: longer sums are computed in parts. That memory is kept for the next sum until
// the garbage collector takes it.
func SumVartime(ctx context.Context, scalars []group.Scalar, points []group.Point, opts ...SumOption) (group.Point, error) {
	ctx = crew.Context(ctx)
	o := gather(opts)
	if o.device != nil && len(scalars) == len(points) && o.device.Pays(device.Sum, len(scalars)) {
		scalars32, points64 := pack(scalars, points)
		if p, ok := onDevice(ctx, o.device, scalars32, points64, len(scalars)); ok {
			return p, nil
		}
	}
	a := takeAccumulator(o)
	defer keepAccumulator(a)
	c := a.crew(len(scalars))
	defer c.Stop()
	if err := a.add(ctx, scalars, points, c); err != nil {
		return group.Point{}, err
	}
	return a.result(ctx, c)
}

// accumulators holds what sums have worked with, which is public, for later ones: to
// get the memory of a sum of a thousand terms anew would take as long as the sum.
var accumulators sync.Pool // *Accumulator

// takeAccumulator returns an empty Accumulator, for keepAccumulator to take back.
func takeAccumulator(o options) *Accumulator {
	a, _ := accumulators.Get().(*Accumulator)
	if a == nil {
		a = new(Accumulator)
	}
	a.options = o
	return a
}

func keepAccumulator(a *Accumulator) {
	a.Reset()
	a.options = options{} // a device is not to be kept alive
	accumulators.Put(a)
}

// An Accumulator computes a sum whose terms do not come at once, or are too many
// to be held in memory, or, with Reset, one sum after another. It keeps at most
// 65,536 terms, those of a part of the sum, and what workers need: some 24 MB with
// two, whatever the length of the sum.
//
// The zero value is an empty sum, ready to use; a nil Accumulator returns errors. An
// Accumulator is for one goroutine at a time. It must not be copied once it was used: to
// use such a copy panics.
type Accumulator struct {
	self *Accumulator // where it was first used
	options
	sum   sums.Sum
	terms int            // of the current part
	total point.Jacobian // of the parts before
	rooms []*block       // by worker
}

var errNil = errors.New("msm: a nil Accumulator")

// partTerms is how many terms make a part: from here on, a larger one takes less
// additions, and waits longer for memory.
const partTerms = 1 << 16

// NewAccumulator returns an Accumulator of nothing.
func NewAccumulator(opts ...Option) *Accumulator { return &Accumulator{options: gather(opts)} }

// used is called first by every method. A copy of an Accumulator has the terms of
// the original in its memory, where either would overwrite what the other has
// added; so a copy that is used panics, as a strings.Builder does.
func (a *Accumulator) used() {
	if a.self == nil {
		a.self = a
	} else if a.self != a {
		panic("msm: use of a copied Accumulator")
	}
}

// Reset makes the sum empty again. The memory is kept.
func (a *Accumulator) Reset() {
	if a == nil {
		return
	}
	a.used()
	a.empty()
	a.total = point.Jacobian{}
}

// AddVartime adds scalars[i]·points[i] for every i. There is an error if there are
// not as many points as scalars, and ctx's error if it ends before all terms are
// added. After an error the sum is what it was before, so the call can be repeated.
func (a *Accumulator) AddVartime(ctx context.Context, scalars []group.Scalar, points []group.Point) error {
	if a == nil {
		return errNil
	}
	a.used()
	ctx = crew.Context(ctx)
	work := len(scalars) / 8 // to set a term is a tenth of the work on it
	if a.terms+len(scalars) > partTerms {
		work = partTerms
	}
	c := a.crew(work)
	defer c.Stop()
	return a.add(ctx, scalars, points, c)
}

// crew returns one for a sum of so many terms.
func (a *Accumulator) crew(terms int) *crew.Crew {
	return crew.New(sums.CrewFor(terms, a.options.most()))
}

// add is AddVartime.
func (a *Accumulator) add(ctx context.Context, scalars []group.Scalar, points []group.Point, c *crew.Crew) error {
	if len(scalars) != len(points) {
		return fmt.Errorf("msm: %d scalars for %d points", len(scalars), len(points))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if a.terms+len(scalars) > partTerms {
		// The terms that are there make a part of their own, so that the total
		// is that of earlier calls alone if this one ends too soon.
		if err := a.finish(ctx, c); err != nil {
			return err
		}
	}
	before := a.total
	for {
		n := min(len(scalars), partTerms)
		a.sum.Resize(a.terms + n)
		a.set(scalars[:n], points[:n], c)
		a.terms += n
		scalars, points = scalars[n:], points[n:]
		if len(scalars) == 0 {
			return nil
		}
		if err := a.finish(ctx, c); err != nil {
			a.total = before
			a.empty()
			return err
		}
	}
}

// SumVartime returns the sum of all terms so far. More can be added to it. If ctx
// ends before the sum is there its error is returned, and the call can be repeated.
func (a *Accumulator) SumVartime(ctx context.Context) (group.Point, error) {
	if a == nil {
		return group.Point{}, errNil
	}
	a.used()
	ctx = crew.Context(ctx)
	c := a.crew(a.terms)
	defer c.Stop()
	return a.result(ctx, c)
}

// result is SumVartime.
func (a *Accumulator) result(ctx context.Context, c *crew.Crew) (group.Point, error) {
	if err := a.finish(ctx, c); err != nil {
		return group.Point{}, err
	}
	var p group.Point
	g := (*keys.GroupPoint)(&p)
	g.Value().Set(&a.total)
	g.Changed()
	return p, nil
}

// finish adds the terms of the current part to the total. After an error they are
// still those of the current part.
func (a *Accumulator) finish(ctx context.Context, c *crew.Crew) error {
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

// blockTerms is how many terms share the inversion of their denominators.
const blockTerms = 128

// set makes the terms those of the sum from number a.terms on.
func (a *Accumulator) set(scalars []group.Scalar, points []group.Point, c *crew.Crew) {
	for len(a.rooms) < c.Workers() {
		a.rooms = append(a.rooms, new(block))
	}
	c.Share(len(scalars), blockTerms, func(worker, from, to int) {
		for j, p := range a.rooms[worker].affine(points[from:to]) {
			if p == (point.Affine{}) { // the identity
				continue
			}
			a.sum.SetFull(a.terms+from+j, (*keys.GroupScalar)(&scalars[from+j]).Value(), &p)
		}
	})
}

// A block is room for points that are made affine.
type block struct {
	points    [blockTerms]point.Affine
	fractions []point.Jacobian
	indices   []int
	results   []point.Affine
}

// affine returns the coordinates of points, of which there are blockTerms at
// most. The identity is (0, 0).
func (b *block) affine(points []group.Point) []point.Affine {
	b.fractions, b.indices = b.fractions[:0], b.indices[:0]
	for i := range points {
		p := (*keys.GroupPoint)(&points[i])
		v := p.Value()
		switch {
		case !p.IsAffine():
			b.fractions, b.indices = append(b.fractions, *v), append(b.indices, i)
		case v.IsInfinity().Bool():
			b.points[i] = point.Affine{}
		default:
			b.points[i] = point.Affine{X: v.X, Y: v.Y}
		}
	}
	if len(b.fractions) > 0 {
		if len(b.results) < len(b.fractions) {
			b.results = make([]point.Affine, blockTerms)
		}
		results := b.results[:len(b.fractions)]
		point.BatchToAffineVartime(results, b.fractions)
		for k, i := range b.indices {
			b.points[i] = results[k]
		}
	}
	return b.points[:len(points)]
}
