package msm

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/field"
)

// least is the minimum size in bytes of a point's table: two coordinates each of the point P and of
// λ·P.
const least = 4 * field.Size

func TestBases(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{0, 1, 30, 700} {
		scalars, points, log := terms(r, n)
		for _, each := range []int{least, 512, 4096} {
			b, err := Prepare(points, each*n)
			if err != nil || b.Len() != n || b.Size() > each*n {
				t.Fatalf("%d points: %v", n, err)
			}
			for workers := range 3 {
				got, err := b.SumVartime(context.Background(), scalars, &Options{Workers: workers})
				if err != nil || !got.Equal(new(group.Point).ScalarBaseMult(log)) {
					t.Errorf("%d points, %d bytes each: another sum, %v", n, each, err)
				}
			}
		}
	}
}

func TestBasesErrors(t *testing.T) {
	scalars, points, _ := terms(rand.New(rand.NewSource(2)), 3)
	if _, err := Prepare(points, 3*least-1); err == nil {
		t.Error("a byte less than one table of three points is enough")
	}
	if _, err := Prepare(points, -1); err == nil {
		t.Error("-1 bytes are enough")
	}
	b, err := Prepare(points, 3*least)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.SumVartime(context.Background(), scalars[:2], nil); err == nil {
		t.Error("2 scalars for 3 points are accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.SumVartime(ctx, scalars, nil); !errors.Is(err, context.Canceled) {
		t.Error("it does not see that it is cancelled")
	}
}

func BenchmarkBases(b *testing.B) {
	for _, n := range []int{16, 64, 256, 1024, 4096} {
		for _, each := range []int{least, 512, 2048} {
			b.Run(fmt.Sprintf("%d/%d", n, each), func(b *testing.B) {
				scalars, points, _ := terms(rand.New(rand.NewSource(3)), n)
				bases, err := Prepare(points, each*n)
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := bases.SumVartime(context.Background(), scalars,
						&Options{Workers: 1}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/term")
				b.ReportMetric(float64(bases.Size())/float64(n), "B/point")
			})
		}
	}
}
