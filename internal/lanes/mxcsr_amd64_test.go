//go:build !purego

package lanes

import (
	"math"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

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
	got := newKernelMemory(t)[0]
	for _, k := range kernels {
		k.run(&got)
		want := cputest.Copy(got)
		for _, value := range values {
			after := ^value
			// The runtime may interrupt a call, and sets flags when it computes in floating point. So
			// only a change in each of three calls is one by the kernel.
			for try := 0; try < 3 && after != value; try++ {
				before := cputest.SetMXCSR(value)
				k.run(&got)
				after = cputest.SetMXCSR(before)
			}
			if after != value {
				t.Errorf("%s changes MXCSR from %#x to %#x", k.name, value, after)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s with MXCSR %#x: another result", k.name, value)
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
	arguments := newKernelMemory(t)[0]
	want := make([]kernelMemory, len(kernels))
	for k := range kernels {
		want[k] = cputest.Copy(arguments)
		kernels[k].run(&want[k])
	}
	var stop atomic.Bool
	var group sync.WaitGroup
	check := func(k int) {
		got := cputest.Copy(arguments)
		if kernels[k].run(&got); !reflect.DeepEqual(got, want[k]) {
			t.Errorf("%s, interrupted: another result", kernels[k].name)
			stop.Store(true)
		}
	}
	run := func() {
		for !stop.Load() {
			for k := range kernels {
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
		group.Go(run)
		group.Go(sums)
	}
	rounds := 10
	if cputest.Deep() {
		rounds = 40
	}
	for ; rounds > 0 && !stop.Load(); rounds-- {
		for k := range kernels {
			group.Go(func() { check(k) }) // the stack grows
		}
		runtime.GC()
	}
	stop.Store(true)
	group.Wait()
}
