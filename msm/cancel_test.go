package msm

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A countdown is a context that is done from the n-th call of its Err method on.
type countdown struct {
	context.Context
	n atomic.Int64
}

func after(n int64) *countdown {
	c := &countdown{Context: context.Background()}
	c.n.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.n.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// moments counts the calls of Err that f makes on its context. It then calls f with contexts that
// end at each of these calls. If there are more calls than limit, it uses only about that many. At
// least one of the contexts must end.
func moments(t *testing.T, limit int64, f func(ctx context.Context) (ended bool)) {
	t.Helper()
	asked := after(math.MaxInt64)
	if f(asked) {
		t.Fatal("a context that does not end ends a call")
	}
	total, tried, ends := math.MaxInt64-asked.n.Load(), 0, 0
	for n := int64(0); n < total; n += 1 + total/limit {
		// With several workers, f may call Err fewer than n times in this call, and then its
		// context does not end.
		if tried++; f(after(n)) {
			ends++
		}
	}
	if t.Logf("cancelled at %d of %d moments", ends, tried); ends == 0 {
		t.Error("nothing was cancelled")
	}
}

// TestRetry adds terms to others and sums them, with a context that ends at every possible point.
// After a cancelled AddVartime the sum must not have changed, and repeating the call must add every
// term once. A cancelled SumVartime can be repeated, with or without terms added in between.
func TestRetry(t *testing.T) {
	background := context.Background()
	r := rand.New(rand.NewSource(6))
	sizes := [][2]int{{0, 1}, {0, 2}, {0, 20}, {0, 40}, {0, 100}, {0, 900}, {65000, 1000}}
	if cputest.Deep() {
		sizes = append(sizes, [2]int{0, 6000}, [2]int{3000, 64000}, [2]int{65000, 140000},
			[2]int{0, 140000})
	}
	for _, size := range sizes {
		n := min(size[1], 1000)
		scalars, points, log := terms(r, n)
		one := new(group.Point).ScalarBaseMult(log)
		before, repeats := size[0]/n, size[1]/n
		want := new(group.Point).SetIdentity()
		for range before + repeats {
			want.Add(want, one)
		}
		more := new(group.Point).Add(want, one)
		firstScalars, firstPoints := slices.Repeat(scalars, before), slices.Repeat(points, before)
		allScalars, allPoints := slices.Repeat(scalars, repeats), slices.Repeat(points, repeats)
		limit, bases := int64(2), reference.Must(Prepare(points, least*n))
		if size[0]+size[1] < 1000 {
			limit = 40
		} else if cputest.Deep() {
			limit = 12
		}
		for workers := 1; workers <= 3; workers++ {
			o := &Options{Workers: workers}
			a := NewAccumulator(o)
			add := func(ctx context.Context, scalars []group.Scalar, points []group.Point) error {
				err := a.AddVartime(ctx, scalars, points)
				if err != nil && (ctx == background || !errors.Is(err, context.Canceled)) {
					t.Fatal(err)
				}
				return err
			}
			sum := func(ctx context.Context, want *group.Point) error {
				got, err := a.SumVartime(ctx)
				if err != nil && ctx != background && errors.Is(err, context.Canceled) {
					return err
				}
				if err != nil || !got.Equal(want) {
					t.Errorf("%d and %d terms, %d workers: another sum, %v", size[0], size[1], workers, err)
				}
				return nil
			}
			again := false
			moments(t, limit, func(ctx context.Context) bool {
				a.Reset()
				add(background, firstScalars, firstPoints)
				err := add(ctx, allScalars, allPoints)
				if err != nil {
					add(background, allScalars, allPoints)
				}
				stopped := sum(ctx, want)
				if again = !again; stopped != nil && again {
					sum(background, want)
				}
				add(background, scalars, points)
				sum(background, more)
				return err != nil || stopped != nil
			})
			moments(t, limit, func(ctx context.Context) bool {
				_, err := bases.SumVartime(ctx, scalars, o)
				got, again := bases.SumVartime(background, scalars, o)
				if again != nil || !got.Equal(one) {
					t.Errorf("bases of %d, %d workers, before %v: another sum, %v", n, workers, err, again)
				}
				return err != nil
			})
		}
	}
}

// TestRetryParts adds terms that take three parts to other terms, with a context that ends at the
// end of the second part. Afterwards the sum is that of the other terms.
func TestRetryParts(t *testing.T) {
	few, points, log := terms(rand.New(rand.NewSource(8)), 5)
	scalars, many := make([]group.Scalar, 2*partTerms+1), make([]group.Point, 2*partTerms+1)
	scalars[0].SetUint64(1) // all other terms are the identity
	many[0].SetGenerator()
	a := NewAccumulator(&Options{Workers: 1})
	add := func(ctx *countdown) error {
		a.Reset()
		if err := a.AddVartime(context.Background(), few, points); err != nil {
			t.Fatal(err)
		}
		return a.AddVartime(ctx, scalars, many)
	}
	asked := after(math.MaxInt64)
	if err := add(asked); err != nil {
		t.Fatal(err)
	}
	if err := add(after(math.MaxInt64 - asked.n.Load() - 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	got, err := a.SumVartime(context.Background())
	if err != nil || !got.Equal(new(group.Point).ScalarBaseMult(log)) {
		t.Errorf("another sum, %v", err)
	}
}

// A panicking context panics in the n-th call of its Err method.
type panicking struct{ countdown }

func (c *panicking) Err() error {
	if c.n.Add(-1) == 0 {
		panic("a panicking context")
	}
	return nil
}

// TestPanickingContext checks that a panic in a context's method changes no sum: the panic is
// recovered, and the Accumulator is used again.
func TestPanickingContext(t *testing.T) {
	few, points, log := terms(rand.New(rand.NewSource(10)), 1000)
	want := new(group.Point).ScalarBaseMult(log)
	scalars, many := make([]group.Scalar, 2*partTerms+1), make([]group.Point, 2*partTerms+1)
	scalars[0].SetUint64(1) // all other terms are the identity
	many[0].SetGenerator()
	a := NewAccumulator(&Options{Workers: 1})
	for name, f := range map[string]func(ctx context.Context){
		"AddVartime": func(ctx context.Context) { a.AddVartime(ctx, scalars, many) },
		"SumVartime": func(ctx context.Context) { a.SumVartime(ctx) },
	} {
		panics := 0
		for n := int64(1); n < 1000; n += 1 + n/2 {
			a.Reset()
			if err := a.AddVartime(context.Background(), few, points); err != nil {
				t.Fatal(err)
			}
			ctx := &panicking{countdown{Context: context.Background()}}
			ctx.n.Store(n)
			func() {
				defer func() {
					if recover() != nil {
						panics++
					}
				}()
				f(ctx)
			}()
			if ctx.n.Load() > 0 {
				break // there are fewer calls
			}
			if got, err := a.SumVartime(context.Background()); err != nil || !got.Equal(want) {
				t.Errorf("%s, look %d: another sum, %v", name, n, err)
			}
		}
		if t.Logf("%s: %d panics", name, panics); panics < 3 {
			t.Errorf("%s: few panics", name)
		}
	}
}

// TestCopy checks that using a copy of a used Accumulator panics, and that a copy of an unused one
// is an independent empty sum.
func TestCopy(t *testing.T) {
	scalars, points, log := terms(rand.New(rand.NewSource(9)), 5)
	want := new(group.Point).ScalarBaseMult(log)
	var a Accumulator
	b := a
	for _, c := range []*Accumulator{&a, &b} {
		if err := c.AddVartime(context.Background(), scalars, points); err != nil {
			t.Fatal(err)
		}
		if got, err := c.SumVartime(context.Background()); err != nil || !got.Equal(want) {
			t.Errorf("another sum, %v", err)
		}
	}
	used := a
	for name, f := range map[string]func(){
		"AddVartime": func() { used.AddVartime(context.Background(), scalars, points) },
		"SumVartime": func() { used.SumVartime(context.Background()) },
		"Reset":      func() { used.Reset() },
	} {
		func() {
			defer func() {
				if r := recover(); r != "msm: use of a copied Accumulator" {
					t.Errorf("%s of a copy: %v", name, r)
				}
			}()
			f()
		}()
	}
}
