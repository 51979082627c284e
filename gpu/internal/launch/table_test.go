package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// testBits is the window size of the tables that fakes make. With it, the last window has four
// bits.
const testBits = 6

// tableOf returns the table with windows of testBits bits, computed from its definition.
var tableOf = sync.OnceValue(func() []byte {
	table := slices.Repeat([]byte{0}, int(kernels.CombSize(testBits)))
	table[0] = testBits
	put := func(at int64, k *group.Scalar) {
		key, err := new(group.Point).ScalarBaseMultVartime(k).PublicKey()
		if err != nil {
			panic(err)
		}
		xy := key.UncompressedBytes()[1:]
		slices.Reverse(xy[:32])
		slices.Reverse(xy[32:])
		copy(table[at:], xy)
	}
	power, two := new(group.Scalar).SetUint64(1), new(group.Scalar).SetUint64(2)
	for i := range 256 {
		put(int64(kernels.CombPoint*(1+i)), power)
		if i%testBits == 0 {
			k, twice := new(group.Scalar).Set(power), new(group.Scalar).Mul(power, two)
			for j := range kernels.CombEntries(testBits, i/testBits) {
				put(kernels.CombOffset(testBits, i/testBits, j), k)
				k.Add(k, twice)
			}
		}
		power.Mul(power, two)
	}
	return table
})

// makeStep simulates the kernel k_comb for a table with windows of testBits. It adds the points of
// one step, and returns an error if the points from which they are computed are wrong. It does
// nothing for tables with other windows.
func makeStep(n int, args []any) (*results, error) {
	rows, step, table := args[0].(uint32), args[1].(uint32), args[2].(*fakeBuffer).data
	if table[0] != testBits {
		return &results{out: table}, nil
	}
	want := tableOf()
	start := int(kernels.CombOffset(testBits, 0, 0))
	if int(rows) != n || len(args) != 3 || !bytes.Equal(table[:start], want[:start]) {
		return nil, fmt.Errorf("k_comb: %d rows, arguments %v", n, args[:2])
	}
	for i := range n { // every step has a work item for each window
		at := int(kernels.CombOffset(testBits, i, 0))
		old, all := at+kernels.CombPoint<<step, at+kernels.CombPoint<<(step+1)
		if !bytes.Equal(table[at:old], want[at:old]) {
			return nil, fmt.Errorf("k_comb: step %d of window %d comes too early", step, i)
		}
		copy(table[old:all], want[old:])
	}
	return &results{out: table}, nil
}

// isMade reports whether makeStep has made the whole table.
func isMade(table []byte) bool { return bytes.Equal(table, tableOf()) }

// TestTable checks that the device makes a table of the requested window size, and that kernels are
// given this table.
func TestTable(t *testing.T) {
	e := start(t, &fake{}, Options{Memory: small(), TableBits: testBits})
	set := hostileSets()[0]
	c := set.Call()
	if err := e.Run(t.Context(), c); err != nil {
		t.Error(err)
	} else if err := set.Check(c); err != nil {
		t.Error(err)
	}
	for _, bits := range []int{-1, kernels.CombLeast - 1, kernels.CombMost + 1} {
		f := &fake{}
		_, err := New(t.Context(), f, nil, Options{Memory: small(), TableBits: bits})
		if err == nil || f.peak > int(small()) {
			t.Errorf("a table of %d bits: %v, after %d bytes", bits, err, f.peak)
		}
		f.leaks(t)
	}
}

// TestTablePoints checks that the points returned by tablePoints exist in the table, cover each
// step of each window, and have the same bytes as in the table.
func TestTablePoints(t *testing.T) {
	table := tableOf()
	for bits := kernels.CombLeast; bits <= kernels.CombMost; bits++ {
		var got []byte
		steps := map[tablePoint]bool{}
		points := tablePoints(bits)
		for _, p := range points {
			if p.window < 0 || p.window >= kernels.CombWindows(bits) ||
				p.j < 0 || p.j >= kernels.CombEntries(bits, p.window) {
				t.Fatalf("%d bits: point %d of window %d", bits, p.j, p.window)
			}
			made := 1
			for made <= p.j {
				made *= 2
			}
			steps[tablePoint{p.window, made}] = true
			if bits == testBits {
				got = append(got, table[kernels.CombOffset(bits, p.window, p.j):][:kernels.CombPoint]...)
			}
		}
		want := tableSample
		for i := range kernels.CombWindows(bits) {
			entries := kernels.CombEntries(bits, i)
			if !slices.Contains(points, tablePoint{i, entries - 1}) {
				t.Errorf("%d bits: not the last one of window %d", bits, i)
			}
			want++
			for made := 1; made <= entries; made *= 2 {
				if want++; !steps[tablePoint{i, made}] {
					t.Errorf("%d bits: none of step %d of window %d", bits, made, i)
				}
			}
		}
		if len(points) != want {
			t.Errorf("%d bits: %d points, want %d", bits, len(points), want)
		}
		if bits != testBits {
			continue
		}
		if err := compareTable(t.Context(), bits, points, got); err != nil {
			t.Error(err)
		}
		for i := range points {
			got[kernels.CombPoint*i+i%kernels.CombPoint] ^= 1
			err := compareTable(t.Context(), bits, points, got)
			if !errors.Is(err, ErrAnswer) {
				t.Fatalf("point %d of window %d: %v", points[i].j, points[i].window, err)
			}
			got[kernels.CombPoint*i+i%kernels.CombPoint] ^= 1
		}
	}
}

// TestWrongTable checks that a device is not opened if any step of any window is wrong, or if it
// leaves out a step. Without that it is opened.
func TestWrongTable(t *testing.T) {
	e, err := New(t.Context(), &fake{}, nil, Options{Memory: small(), TableBits: testBits})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for i := range kernels.CombWindows(testBits) {
		for step := range testBits - 1 {
			if kernels.CombEntries(testBits, i) <= 1<<step {
				continue
			}
			launch := 0
			f := &fake{after: func(kernel string, r *results) {
				if kernel == "k_comb" && launch == testBits-2 {
					wrong := r.out[kernels.CombOffset(testBits, i, 1<<step):]
					for j := range 1 << step {
						wrong[kernels.CombPoint*j+(i+step)%kernels.CombPoint] ^= 1
					}
				}
				launch++
			}}
			_, err := New(t.Context(), f, nil, Options{Memory: small(), TableBits: testBits})
			if !errors.Is(err, ErrAnswer) || !strings.Contains(err.Error(), "k_comb") {
				t.Errorf("step %d of window %d: %v", step, i, err)
			}
			f.leaks(t)
		}
	}
	f := &fake{skip: true}
	_, err = New(t.Context(), f, nil, Options{Memory: small(), TableBits: testBits})
	if !errors.Is(err, ErrAnswer) {
		t.Error(err)
	}
	f.leaks(t)
}

// TestTableFaults checks that New returns the error of any driver function that fails while a table
// is made, and frees all memory.
func TestTableFaults(t *testing.T) {
	for _, what := range []string{"write", "launch", "read", "wait"} {
		for _, number := range []int64{1, 2} { // the second call fails while the first is under way
			var calls atomic.Int64
			f := &fake{call: func(called string) error {
				if called == what && calls.Add(1) == number {
					return errFake
				}
				return nil
			}}
			_, err := New(t.Context(), f, nil, Options{Memory: small(), TableBits: testBits})
			if !errors.Is(err, errFake) {
				t.Errorf("%s %d: %v", what, number, err)
			}
			f.leaks(t)
		}
	}
}

// TestTableCancel checks that New returns when the context ends while the device makes the table.
// The table is freed when the device is done with it.
func TestTableCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := &fake{}
		f.before = func(string) {
			cancel()
			synctest.Wait() // New has called Close and waits in it
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.buffers == 0 {
				t.Error("the table is freed, and in use")
			}
		}
		_, err := New(ctx, f, nil, Options{Memory: small(), TableBits: testBits})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		f.leaks(t)
	})
}

// A large is a fake that reports the given number of bytes as its memory.
type large struct {
	*fake
	bytes int64
}

func (l large) Info() driver.Info { return driver.Info{Memory: l.bytes, Units: 1} }

// TestTableMemory checks that if the device has no memory to make a table, it gets the host's
// table, whichever driver function reports the lack of memory.
func TestTableMemory(t *testing.T) {
	for _, what := range []string{"alloc", "write", "launch", "read", "wait"} {
		f := &fake{}
		if what == "alloc" {
			f.memory = 2 << 20 // a table may take 1 GiB/256 = 4 MiB, more than that
		}
		var calls atomic.Int64
		f.call = func(called string) error {
			if called == what && calls.Add(1) == 1 {
				return driver.ErrMemory
			}
			return nil
		}
		e, err := New(t.Context(), large{f, 1 << 30}, []byte(tableOfTests), Options{Crossover: 1})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if table := e.table.(*fakeBuffer).data; string(table) != tableOfTests {
			t.Errorf("%s: a table of %d bytes", what, len(table))
		}
		if err := e.Run(t.Context(), hostileSets()[0].Call()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		f.leaks(t)
	}
}

// TestNoTable checks that if there is no memory even for the host's table, New returns
// driver.ErrMemory and frees nothing twice.
func TestNoTable(t *testing.T) {
	f := &fake{}
	f.call = func(called string) error {
		if called != "launch" {
			return nil
		}
		f.set(func() { f.memory = 1 })
		return driver.ErrMemory
	}
	_, err := New(t.Context(), large{f, 1 << 30}, []byte(tableOfTests), Options{})
	if !errors.Is(err, driver.ErrMemory) {
		t.Error(err)
	}
	f.leaks(t)
}

// TestTableBits checks that the table has the largest windows that the device's memory and the
// limit allow.
func TestTableBits(t *testing.T) {
	for _, c := range []struct {
		info  driver.Info
		limit int64
		want  int
	}{
		{driver.Info{}, 0, kernels.CombBits},
		{driver.Info{Memory: 1 << 37, CPU: true}, 1 << 40, kernels.CombBits},
		{driver.Info{Memory: 64 << 20}, 0, kernels.CombBits},
		{driver.Info{Memory: 1 << 30}, 0, 12},
		{driver.Info{Memory: 8 << 30}, 0, 15},
		{driver.Info{Memory: 9 << 30}, 0, 16},
		{driver.Info{Memory: 1 << 37}, 0, tableMost},
		{driver.Info{Memory: 1 << 37}, 1 << 40, tableMost},
		{driver.Info{Memory: 1 << 37}, 32 << 20, 13},
		{driver.Info{Memory: 1 << 37}, 30000, kernels.CombBits},
	} {
		if got := tableBits(c.info, c.limit); got != c.want {
			t.Errorf("%+v: %d bits", c, got)
		}
	}
}
