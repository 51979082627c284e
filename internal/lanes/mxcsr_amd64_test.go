//go:build !purego

package lanes

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A laneResult has room for the result of every kernel.
type laneResult struct {
	pair   [2]Element
	point  Jacobian
	affine Affine
	coZ    CoZ
	scalar Scalar
	rows   [Width][RowWords]uint64
	b1, b2 [3]Vector
	zero   Mask
}

// A laneCall calls one kernel, and writes its result to v.
type laneCall struct {
	name string
	run  func(v *laneResult)
}

// laneCalls returns a call of each kernel, on random arguments.
func laneCalls(t *testing.T) []laneCall {
	r := random(t)
	a, b, c, d := randomElement(r), randomElement(r), randomElement(r), randomElement(r)
	p, q := Jacobian{a, b, c}, Jacobian{b, c, d}
	f, g := Affine{c, d}, Affine{a, d}
	k, _ := randomScalar(r)
	l, _ := randomScalar(r)
	var rows [Width][RowWords]uint64
	var ks [Width]scalar.Scalar
	for j := range rows {
		for i := range rows[j] {
			rows[j][i] = r.Uint64()
		}
		ks[j].SetLimbs((*[4]uint64)(rows[j][:4]))
	}
	m := maskOf(0x5a)
	return []laneCall{
		{"mul", func(v *laneResult) { mul(&v.pair[0], &a, &b) }},
		{"squareN", func(v *laneResult) { squareN(&v.pair[0], &a, 3) }},
		{"squareNPair", func(v *laneResult) { squareNPair(&v.pair, &[2]Element{a, b}, 2) }},
		{"add", func(v *laneResult) { add(&v.pair[0], &a, &b) }},
		{"sub", func(v *laneResult) { sub(&v.pair[0], &a, &b) }},
		{"mulSmall", func(v *laneResult) { mulSmall(&v.pair[0], &a, 16) }},
		{"normalize", func(v *laneResult) { normalize(&v.pair[0], &a) }},
		{"isZero", func(v *laneResult) { v.zero = isZero(&a) }},
		{"selectLanes", func(v *laneResult) { selectLanes(&v.pair[0], m, &a, &b) }},
		{"condNeg", func(v *laneResult) { condNeg(&v.pair[0], m, &a) }},
		{"unpack", func(v *laneResult) { unpack(&v.affine, &rows) }},
		{"pack", func(v *laneResult) { pack(&v.rows, &f) }},
		{"mulScalar", func(v *laneResult) { mulScalar(&v.scalar, &k, &l) }},
		{"doubleN", func(v *laneResult) { doubleN(&v.point, &p, 2) }},
		{"addMixed", func(v *laneResult) { addMixed(&v.point, &p, &f) }},
		{"addJacobian", func(v *laneResult) { addJacobian(&v.point, &p, &q) }},
		{"addAffine", func(v *laneResult) { addAffine(&v.affine, &f, &g, &b) }},
		{"addCoZ", func(v *laneResult) { addCoZ(&v.coZ, &f, &g) }},
		{"splitOdd", func(v *laneResult) { splitOdd(&v.b1, &v.b2, &ks, 2) }},
	}
}

// TestMXCSR checks that no kernel's result depends on the register MXCSR, and that every kernel
// leaves the register as it was. The test sets the register to values that C code may leave in it:
// with each rounding mode, with subnormal numbers replaced by zero, and with exceptions that trap.
func TestMXCSR(t *testing.T) {
	cputest.Run(t, testMXCSR, cputest.AllLanes()...)
}

func testMXCSR(t *testing.T) {
	const (
		flags       = 1<<6 - 1 // exceptions that have occurred
		zeroInputs  = 1 << 6   // subnormal operands are zero
		masks       = 63 << 7  // exceptions do not trap
		rounding    = 1 << 13  // to nearest, down, up, toward zero
		zeroResults = 1 << 15  // subnormal results are zero
	)
	var values []uint32
	for mode := range uint32(4) {
		for _, zero := range []uint32{0, zeroInputs, zeroResults, zeroInputs | zeroResults} {
			for _, exceptions := range []uint32{0, masks, masks | flags} {
				values = append(values, mode*rounding|zero|exceptions)
			}
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, call := range laneCalls(t) {
		var want laneResult
		call.run(&want)
		for _, value := range values {
			var got laneResult
			after := ^value
			// The runtime may interrupt a call, and sets flags when it computes in floating point. So
			// only a change in each of three calls is one by the kernel.
			for try := 0; try < 3 && after != value; try++ {
				before := cputest.SetMXCSR(value)
				call.run(&got)
				after = cputest.SetMXCSR(before)
			}
			if after != value {
				t.Errorf("%s changes MXCSR from %#x to %#x", call.name, value, after)
			}
			if got != want {
				t.Errorf("%s with MXCSR %#x: another result", call.name, value)
			}
		}
	}
}

// TestConcurrent runs kernels beside goroutines that add floating-point numbers, while garbage
// collections stop all of them again and again. Some kernels change the rounding mode. The sums are
// wrong if another goroutine runs in this mode, and the kernels' results are wrong if a kernel is
// interrupted and goes on in another mode.
func TestConcurrent(t *testing.T) {
	cputest.Run(t, testPreemption, cputest.AllLanes()...)
}

func testPreemption(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	sum := func() float64 {
		s := 0.0
		for k := 1.0; k < 1000; k++ {
			s += math.Sqrt(k) / 3
		}
		return s
	}
	wantSum := sum() // before any kernel runs
	calls := laneCalls(t)
	want := make([]laneResult, len(calls))
	for k := range calls {
		calls[k].run(&want[k])
	}
	var stop atomic.Bool
	var group sync.WaitGroup
	check := func(k int) {
		var got laneResult
		if calls[k].run(&got); got != want[k] {
			t.Errorf("%s, interrupted: another result", calls[k].name)
			stop.Store(true)
		}
	}
	kernels := func() {
		for !stop.Load() {
			for k := range calls {
				check(k)
			}
			runtime.Gosched()
		}
	}
	sums := func() {
		for !stop.Load() {
			if got := sum(); got != wantSum {
				t.Errorf("the sum is %v, want %v", got, wantSum)
				stop.Store(true)
			}
		}
	}
	for range 2 {
		group.Go(kernels)
		group.Go(sums)
	}
	rounds := 10
	if cputest.Deep() {
		rounds = 40
	}
	for ; rounds > 0 && !stop.Load(); rounds-- {
		for k := range calls {
			group.Go(func() { check(k) }) // the stack grows
		}
		runtime.GC()
	}
	stop.Store(true)
	group.Wait()
}
