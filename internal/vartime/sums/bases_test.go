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

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

func TestBases(t *testing.T) {
	team := crew.New(2)
	defer team.Stop()
	r := rand.New(rand.NewSource(1))
	for _, structure := range sumStructures {
		for _, n := range []int{0, 1, 5, 40, 300} {
			c := structure.make(t, r, n)
			if len(c.short) > 0 {
				continue
			}
			if n > 3 { // make one of the points the identity
				c.points[2], c.logs[2] = point.Affine{}, new(big.Int)
			}
			scalars := make([]scalar.Scalar, n)
			for i, k := range c.full {
				scalars[i] = *vartimetest.Scalar(k)
			}
			want := c.log()
			for _, each := range []int{basesRow, 256, 1000, 1 << 20} {
				b := NewBases(c.points, each*n)
				if b == nil || b.Len() != n || b.Size() > each*n {
					t.Fatalf("%d points, %d bytes each: no tables, or others", n, each)
				}
				for _, c := range []*crew.Crew{nil, team} {
					var got point.Jacobian
					if err := b.Sum(context.Background(), &got, scalars, c); err != nil {
						t.Fatal(err)
					}
					wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms, ", each, " bytes"), &got, want)
				}
			}
		}
	}
}

// TestBasesShapes checks that the sum is right for every window width and number of tables that the
// limit of memory can select.
func TestBasesShapes(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	c := sumStructures[1].make(t, r, 4)
	scalars := make([]scalar.Scalar, len(c.full))
	for i, k := range c.full {
		scalars[i] = *vartimetest.Scalar(k)
	}
	want := c.log()
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
			if key := [2]int{shape.width, shape.sets}; shapes[key] || shape.width > 13 {
				continue
			} else {
				shapes[key] = true
			}
			b := &Bases{count: len(c.points), width: shape.width, sets: shape.sets, tables: shape.tables}
			b.fill(c.points)
			var got point.Jacobian
			if err := b.Sum(context.Background(), &got, scalars, nil); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprint("width ", b.width, ", ", b.sets, " sets, ", b.tables, " tables")
			wantLog(t, what, &got, want)
		}
	}
	t.Logf("%d shapes", len(shapes))
	if len(shapes) < 20 {
		t.Error("few shapes")
	}
}

// TestBasesShared checks that a sum is right if several workers compute parts of it. To make sure
// that two workers take part, the worker with the first part waits until another worker has a part,
// too.
func TestBasesShared(t *testing.T) {
	team := crew.New(3)
	defer team.Stop()
	r := rand.New(rand.NewSource(3))
	for _, structure := range sumStructures {
		c := structure.make(t, r, 600)
		if len(c.short) > 0 {
			continue
		}
		scalars := make([]scalar.Scalar, len(c.full))
		for i, k := range c.full {
			scalars[i] = *vartimetest.Scalar(k)
		}
		b := NewBases(c.points, 1000*len(c.points))
		var looks atomic.Int32
		var got point.Jacobian
		if err := b.Sum(looked{context.Background(), func() {
			looks.Add(1)
			for looks.Load() < 2 {
				runtime.Gosched()
			}
		}}, &got, scalars, team); err != nil {
			t.Fatal(err)
		}
		wantLog(t, structure.name, &got, c.log())
	}
}

// TestBasesFewBuckets checks that a sum is right if its workers run in different orders and have
// memory for the buckets of only one set. Each worker then fills and reduces its buckets several
// times.
func TestBasesFewBuckets(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	c := sumStructures[0].make(t, r, 700)
	scalars := make([]scalar.Scalar, len(c.full))
	for i, k := range c.full {
		scalars[i] = *vartimetest.Scalar(k)
	}
	want := c.log()
	for _, shape := range [][3]int{{9, 15, 1}, {9, 4, 4}, {11, 6, 2}, {8, 1, 16}} {
		b := &Bases{count: len(c.points), width: shape[0], sets: shape[1], tables: shape[2]}
		b.fill(c.points)
		for _, order := range [][]int{{0}, {1, 0}, {2, 0, 1}} {
			w := b.windows()
			s := &b.sum
			s.halves = resize(s.halves, 2*b.count)
			b.split(0, b.count, scalars, &w)
			l := lay(&w, b.sets, len(s.halves), 0)
			s.start(&l, b.firstFree(), len(order))
			s.buckets = l.mostBuckets()
			for _, k := range order {
				s.run(context.Background(), k)
			}
			var got point.Jacobian
			horner(&got, s.sums)
			what := fmt.Sprint("width, sets, tables ", shape, ", workers ", order)
			wantLog(t, what, &got, want)
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
			w := b.windows()
			l := lay(&w, b.sets, 2*n, 0)
			for _, workers := range []int{1, 2, MaxWorkers} {
				if rows := b.firstFree() + workers*l.room(l.bucketsFor(workers)); rows > maxRows {
					t.Errorf("%d points, %d tables, %d workers: %d rows", n, b.tables, workers, rows)
				}
			}
		}
	}
}

// TestBasesSize checks that the tables take as many bytes as Size returns, for field elements of
// 64-bit and of 29-bit limbs.
func TestBasesSize(t *testing.T) {
	points, _ := walk(t, 10, big.NewInt(1), big.NewInt(1))
	const most = 20000
	b := NewBases(points, most)
	rows := b.firstFree() - firstBase
	if got := rows * int(reflect.TypeFor[point.Affine]().Size()); got != b.Size() || got > most {
		t.Errorf("%d rows take %d bytes, of at most %d, and Size is %d", rows, got, most, b.Size())
	}
}

func TestBasesErrors(t *testing.T) {
	points, _ := walk(t, 10, big.NewInt(1), big.NewInt(1))
	if NewBases(points, basesRow*10-1) != nil {
		t.Error("tables without room")
	}
	b := NewBases(points, basesRow*10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var r point.Jacobian
	scalars := make([]scalar.Scalar, 10)
	for i := range scalars {
		scalars[i].SetUint64(uint64(i))
	}
	if err := b.Sum(ctx, &r, scalars, nil); !errors.Is(err, context.Canceled) {
		t.Error("not cancelled")
	}
	// After the cancelled call, several goroutines must get right sums at the same time.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			team := crew.New(2)
			defer team.Stop()
			var r point.Jacobian
			if err := b.Sum(context.Background(), &r, scalars, team); err != nil {
				t.Error(err)
			}
			c := reference.Secp256k1()
			if !vartimetest.Reference(&r).Equal(c.ScalarMult(big.NewInt(330), c.G)) {
				t.Error("another sum")
			}
		})
	}
	wg.Wait()
}
