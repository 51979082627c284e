package sums

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestBases checks sums of points with tables of several sizes, also by two workers. To make sure
// that both take part in a long sum, the worker with the first part waits until the other has a
// part, too.
func TestBases(t *testing.T) {
	team := forkjoin.New(2)
	defer team.Stop()
	r := rand.New(rand.NewSource(1))
	for _, structure := range sumStructures {
		for _, n := range []int{0, 1, 5, 40, 600} {
			c := structure.make(t, r, n)
			if len(c.short) > 0 {
				continue
			}
			if n > 3 { // make one of the points the identity
				c.points[2], c.logs[2] = point.Affine{}, new(big.Int)
			}
			want := multipleOfG(c.log())
			for _, each := range []int{basesRow, 256, 1000, 1 << 20} {
				b := NewBases(c.points, each*n)
				if b == nil || b.Len() != n || b.Size() > each*n {
					t.Fatalf("%d points, %d bytes each: no tables, or others", n, each)
				}
				for _, c2 := range []*forkjoin.Team{nil, team} {
					var looks atomic.Int32
					ctx := looked{context.Background(), func() {
						looks.Add(1)
						for c2 != nil && n == 600 && looks.Load() < 2 {
							runtime.Gosched()
						}
					}}
					var got point.Jacobian
					if err := b.Sum(ctx, &got, c.scalar, c2); err != nil {
						t.Fatal(err)
					}
					wantPoint(t, fmt.Sprint(structure.name, ", ", n, " terms, ", each, " bytes"), &got, want)
				}
			}
		}
	}
}

// TestBasesShapes checks that the sum is right for the window widths, up to 13 bits, and numbers of
// sets that limits of memory select. The workers run one after another, each with memory for the
// buckets of only one set, so a worker fills and reduces its buckets several times.
func TestBasesShapes(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	few, many := structureOf("edges").make(t, r, 4), structureOf("random").make(t, r, 700)
	check := func(c *sumCase, want reference.Point, width, sets, tables int, order ...int) {
		t.Helper()
		b := &Bases{count: len(c.points), width: width, sets: sets, tables: tables}
		b.fill(c.points)
		b.set(0, b.count, c.scalar)
		b.sum.recode(b.windows(), b.tables, nil)
		if b.sum.units.sets != sets {
			t.Fatalf("%d tables of width %d: %d sets, want %d", tables, width, b.sum.units.sets, sets)
		}
		var got point.Jacobian
		b.sum.inOrder(context.Background(), &got, true, order...)
		what := fmt.Sprint("width ", width, ", ", sets, " sets, ", tables, " tables, workers ", order)
		wantPoint(t, what, &got, want)
	}
	want := multipleOfG(few.log())
	shapes := map[[2]int]bool{}
	for n := 1; n < 40000; n = n*3/2 + 1 {
		for tables := 1; tables <= 43; tables++ {
			shape := Bases{count: n}
			if !shape.shape(basesRow * n * tables) {
				t.Fatalf("no shape for %d points and %d tables", n, tables)
			}
			if shape.tables > tables {
				t.Errorf("%d tables where %d fit", shape.tables, tables)
			}
			if key := [2]int{shape.width, shape.sets}; !shapes[key] && shape.width <= 13 {
				shapes[key] = true
				check(&few, want, shape.width, shape.sets, shape.tables, 0)
			}
		}
	}
	t.Logf("%d shapes", len(shapes))
	if len(shapes) < 20 {
		t.Error("few shapes")
	}
	want = multipleOfG(many.log())
	for _, shape := range [][3]int{{9, 15, 1}, {9, 4, 4}, {11, 6, 2}, {8, 1, 16}} {
		for _, order := range [][]int{{0}, {1, 0}, {2, 0, 1}} {
			check(&many, want, shape[0], shape[1], shape[2], order...)
		}
	}
}

// TestBasesRows checks that every row has a number that fits in a ref, for any number of points and
// workers.
func TestBasesRows(t *testing.T) {
	for n := 1; firstBase+2*n <= maxTableRows; n = n*3/2 + 1 {
		for _, tables := range []int{1, 2, 8, 43} {
			b := Bases{count: n}
			// The number of bytes must fit in an int of 32 bits.
			if !b.shape(min(n, 1<<31/basesRow/tables-1) * basesRow * tables) {
				continue
			}
			l := newLayout(b.windows(), b.tables, 2*n, 0)
			for _, workers := range []int{1, 2, MaxWorkers} {
				if rows := l.free + workers*l.rows(); rows > maxRows {
					t.Errorf("%d points, %d tables, %d workers: %d rows", n, b.tables, workers, rows)
				}
			}
		}
	}
}

// TestBasesMany checks that Bases takes more points than a Sum takes terms. All points but the
// first and the last are the identity. One worker computes the sum, and then two.
func TestBasesMany(t *testing.T) {
	const n = MaxTerms + 1
	points := make([]point.Affine, n)
	points[0].SetGenerator()
	points[n-1].SetGenerator()
	b := NewBases(points, basesRow*n)
	if b == nil || b.Len() != n || b.Size() != basesRow*n {
		t.Fatal("no tables, or others")
	}
	team := forkjoin.New(2)
	defer team.Stop()
	k := func(i int) *scalar.Scalar { return new(scalar.Scalar).SetUint64(uint64(i) + 3) }
	for _, c := range []*forkjoin.Team{nil, team} {
		var r point.Jacobian
		if err := b.Sum(context.Background(), &r, k, c); err != nil {
			t.Fatal(err)
		}
		wantPoint(t, "many points", &r, multipleOfG(big.NewInt(n+5)))
	}
}

// TestBasesErrors checks that NewBases returns nil if the tables do not fit, that tables take as
// many bytes as Size returns, and that after a cancelled call, several goroutines get right sums at
// the same time. The size of a table depends on whether the build has field elements of 64-bit or
// of 29-bit limbs.
func TestBasesErrors(t *testing.T) {
	points, _ := walk(t, 10, big.NewInt(1), big.NewInt(1))
	if NewBases(points, basesRow*10-1) != nil {
		t.Error("tables without room")
	}
	b := NewBases(points, 20000)
	rows := 2 * b.count * b.tables
	if got := rows * int(reflect.TypeFor[point.Affine]().Size()); got != b.Size() || got > 20000 {
		t.Errorf("%d rows take %d bytes, and Size is %d", rows, got, b.Size())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var r point.Jacobian
	k := func(i int) *scalar.Scalar { return new(scalar.Scalar).SetUint64(uint64(i)) }
	if err := b.Sum(ctx, &r, k, nil); !errors.Is(err, context.Canceled) {
		t.Error("not cancelled")
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			team := forkjoin.New(2)
			defer team.Stop()
			var r point.Jacobian
			if err := b.Sum(context.Background(), &r, k, team); err != nil {
				t.Error(err)
			}
			wantPoint(t, "sum", &r, multipleOfG(big.NewInt(330)))
		})
	}
	wg.Wait()
}
