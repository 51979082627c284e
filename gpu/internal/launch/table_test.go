package launch

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/device"
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
		if err := compareTable(bits, points, got); err != nil {
			t.Error(err)
		}
		for i := range points {
			got[kernels.CombPoint*i+i%kernels.CombPoint] ^= 1
			err := compareTable(bits, points, got)
			if !errors.Is(err, ErrAnswer) {
				t.Fatalf("point %d of window %d: %v", points[i].j, points[i].window, err)
			}
			got[kernels.CombPoint*i+i%kernels.CombPoint] ^= 1
		}
	}
}

// TestTableMemory checks that if the device has no memory to make a table, it gets the host's
// table, whichever driver function reports the lack of memory.
func TestTableMemory(t *testing.T) {
	for _, what := range []string{"alloc", "write", "launch", "read", "wait"} {
		f := &fake{states: 1 << 30}
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
		e, err := New(t.Context(), f, []byte(tableOfTests),
			Options{Crossover: 1, Timeout: patience})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if table := e.table.(*fakeBuffer).data; string(table) != tableOfTests {
			t.Errorf("%s: a table of %d bytes", what, len(table))
		}
		if err := e.Run(t.Context(), newQuestion(t, device.ECDSA, 1, false).fresh()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		f.leaks(t)
	}
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
