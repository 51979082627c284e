package msm

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
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
// end at each of these calls. If there are more calls than limit, it uses only about that many. It
// returns the number of these contexts.
func moments(t *testing.T, limit int64, f func(ctx context.Context) (ended bool)) (tried int) {
	t.Helper()
	asked := after(math.MaxInt64)
	if f(asked) {
		t.Fatal("a context that does not end ends a call")
	}
	total := math.MaxInt64 - asked.n.Load()
	for n := int64(0); n < total; n += 1 + total/limit {
		// The result of f is not checked: with several workers, f may call Err fewer than
		// n times in this call, and then its context does not end.
		f(after(n))
		tried++
	}
	return tried
}

// TestRetryAdd checks that after a cancelled AddVartime the sum has not changed, and that repeating
// the call adds every term once. It cancels the call at every possible point.
func TestRetryAdd(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	base, points, log := terms(r, 1000)
	one := new(group.Point).ScalarBaseMult(log)
	repeat := func(n int) (s []group.Scalar, p []group.Point) {
		for range n {
			s, p = append(s, base...), append(p, points...)
		}
		return s, p
	}
	sizes := [][2]int{{0, 1}, {3, 64}, {65, 1}, {65, 140}, {0, 140}}
	most := int64(12)
	if !cputest.Deep() {
		sizes, most = [][2]int{{0, 1}, {65, 1}}, 2
	}
	for _, size := range sizes {
		firstScalars, firstPoints := repeat(size[0])
		scalars, points := repeat(size[1])
		want := new(group.Point).SetIdentity()
		for range size[0] + size[1] {
			want.Add(want, one)
		}
		a := NewAccumulator(&Options{Workers: 2})
		ends := 0
		tried := moments(t, most, func(ctx context.Context) bool {
			a.Reset()
			if err := a.AddVartime(context.Background(), firstScalars, firstPoints); err != nil {
				t.Fatal(err)
			}
			err := a.AddVartime(ctx, scalars, points)
			ended := err != nil
			if ended {
				ends++
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if err := a.AddVartime(context.Background(), scalars, points); err != nil {
					t.Fatal(err)
				}
			}
			got, err := a.SumVartime(context.Background())
			if err != nil || !got.Equal(want) {
				t.Errorf("%d and %d thousand terms, cancelled %v: another sum, %v",
					size[0], size[1], ended, err)
			}
			return ended
		})
		t.Logf("%d and %d thousand terms: cancelled at %d of %d moments", size[0], size[1], ends, tried)
		if ends == 0 {
			t.Error("nothing was cancelled")
		}
	}
}

// TestRetrySum checks that a cancelled SumVartime can be repeated, with or without terms added in
// between, for every algorithm and every point of cancellation.
func TestRetrySum(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for _, n := range []int{1, 2, 20, 40, 100, 700, 6000} {
		if !cputest.Deep() && n > 100 {
			continue
		}
		scalars, points, log := terms(r, n)
		want := new(group.Point).ScalarBaseMult(log)
		more := new(group.Point).Add(want, &points[0])
		one := []group.Scalar{*new(group.Scalar).SetUint64(1)}
		bases, err := Prepare(points, least*n)
		if err != nil {
			t.Fatal(err)
		}
		for workers := 1; workers <= 3; workers++ {
			var a Accumulator
			a.options = Options{Workers: workers}
			ends := 0
			tried := moments(t, 40, func(ctx context.Context) bool {
				a.Reset()
				if err := a.AddVartime(context.Background(), scalars, points); err != nil {
					t.Fatal(err)
				}
				_, err := a.SumVartime(ctx)
				ended := err != nil
				if ended {
					ends++
					if !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					if got, err := a.SumVartime(context.Background()); err != nil || !got.Equal(want) {
						t.Errorf("%d terms, %d workers: another sum after a cancelled call, %v", n, workers, err)
					}
				}
				if err := a.AddVartime(context.Background(), one, points[:1]); err != nil {
					t.Fatal(err)
				}
				if got, err := a.SumVartime(context.Background()); err != nil || !got.Equal(more) {
					t.Errorf("%d terms, %d workers, cancelled %v: another sum with a term more, %v",
						n, workers, ended, err)
				}
				return ended
			})
			t.Logf("%d terms, %d workers: cancelled at %d of %d moments", n, workers, ends, tried)
			if ends == 0 {
				t.Error("nothing was cancelled")
			}
			moments(t, 40, func(ctx context.Context) bool {
				_, err := bases.SumVartime(ctx, scalars, &Options{Workers: workers})
				got, again := bases.SumVartime(context.Background(), scalars, &Options{Workers: workers})
				if again != nil || !got.Equal(want) {
					t.Errorf("bases of %d, %d workers, before %v: another sum, %v", n, workers, err, again)
				}
				return err != nil
			})
		}
	}
}

// TestRetryMoreBeforeSum checks that SumVartime returns the sum of all terms if it is called again
// after a cancelled call and more terms were added in between.
func TestRetryMoreBeforeSum(t *testing.T) {
	scalars, points, log := terms(rand.New(rand.NewSource(8)), 900)
	want := new(group.Point).ScalarBaseMult(log)
	want.Double(want)
	a := NewAccumulator(&Options{Workers: 2})
	moments(t, 40, func(ctx context.Context) bool {
		a.Reset()
		if err := a.AddVartime(context.Background(), scalars, points); err != nil {
			t.Fatal(err)
		}
		_, err := a.SumVartime(ctx)
		if err := a.AddVartime(context.Background(), scalars, points); err != nil {
			t.Fatal(err)
		}
		if got, again := a.SumVartime(context.Background()); again != nil || !got.Equal(want) {
			t.Errorf("after %v, and as many terms again: another sum, %v", err, again)
		}
		return err != nil
	})
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
			t.Errorf("%s of a copy returns", name)
		}()
	}
	for _, c := range []*Accumulator{&a, &b} {
		if got, err := c.SumVartime(context.Background()); err != nil || !got.Equal(want) {
			t.Errorf("another sum, %v", err)
		}
	}
}
