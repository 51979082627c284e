package crew

import (
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// sizes holds numbers of workers to test: fewer and more than there are CPUs.
var sizes = []int{0, 1, 2, 3, 8, 64}

// TestDo checks that Do and Share process every block exactly once before they return, that no two
// goroutines use the same worker number at the same time.
func TestDo(t *testing.T) {
	for _, workers := range sizes {
		c := New(workers)
		if got := c.Workers(); got != max(1, workers) {
			t.Fatal(workers, "workers asked for,", got, "there")
		}
		for round := range 300 {
			n, size := []int{1000, 0, 1, 7, 8, 9}[round%6], []int{1, 8, 300}[round/6%3]
			done := make([]int, n) // not atomic, so that the race detector checks it
			busy := make([]atomic.Bool, c.Workers())
			work := func(worker, lo, hi int) {
				if lo%size != 0 || hi != min(lo+size, n) || busy[worker].Swap(true) {
					t.Errorf("phase %d: worker %d has %d to %d, or is there twice", round, worker, lo, hi)
				}
				for i := lo; i < hi; i++ {
					if done[i]++; i%100 == round%100 {
						runtime.Gosched()
					}
				}
				busy[worker].Store(false)
			}
			if round/18%2 == 0 {
				c.Share(n, size, work)
			} else {
				blocks := NewBlocks(n, size)
				c.Do(func(k int) {
					for lo, hi := blocks.Take(); lo < hi; lo, hi = blocks.Take() {
						work(k, lo, hi)
					}
				})
			}
			for i := range done {
				if done[i] != 1 {
					t.Fatalf("%d workers, phase %d: number %d was done %d times", workers, round, i, done[i])
				}
			}
			for k := range busy {
				if busy[k].Load() {
					t.Fatalf("%d workers, phase %d: worker %d is still at work", workers, round, k)
				}
			}
			switch round % 10 {
			case 3:
				for c != nil && int(c.sleepers.Load()) < workers-1 {
					runtime.Gosched()
				}
			case 6:
				runtime.Gosched()
			}
		}
		c.Stop()
	}
}

// TestBlocksEnd checks that blocks cover all numbers once, and that calls after the last block
// return empty blocks, even if the number after a block does not fit in an int of 32 bits.
func TestBlocksEnd(t *testing.T) {
	for _, n := range []int{0, 1, 1000, math.MaxInt32 - 1, math.MaxInt32} {
		for _, size := range []int{1<<29 + 1, math.MaxInt32} {
			next, blocks := 0, NewBlocks(n, size)
			for range 16 {
				lo, hi := blocks.Take()
				if lo != next || hi != lo+min(size, n-lo) {
					t.Fatalf("%d numbers in blocks of %d: %d to %d after %d", n, size, lo, hi, next)
				}
				next = hi
			}
			shared := 0
			(*Crew)(nil).Share(n, size, func(_, lo, hi int) {
				if lo != shared || hi != lo+min(size, n-lo) || hi == lo {
					t.Fatalf("%d numbers in blocks of %d: shared %d to %d after %d", n, size, lo, hi, shared)
				}
				shared = hi
			})
			if next != n || shared != n {
				t.Errorf("blocks of %d end at %d and %d, want %d", size, next, shared, n)
			}
		}
	}
}

// TestJoin checks that Do waits for all workers that have begun, in phases that last longer than
// the caller polls, also if the workers were asleep before.
func TestJoin(t *testing.T) { synctest.Test(t, testJoin) }

func testJoin(t *testing.T) {
	for _, workers := range sizes {
		c := New(workers)
		for range 5 {
			time.Sleep(time.Second) // until the workers sleep
			var here, late atomic.Int32
			c.Do(func(k int) {
				here.Add(1)
				for int(here.Load()) < c.Workers() {
					runtime.Gosched()
				}
				if k > 0 {
					time.Sleep(time.Second) // until the caller sleeps
					late.Add(1)
				}
			})
			if got := int(late.Load()); got != c.Workers()-1 {
				t.Fatalf("Do returned when %d of %d others were done", got, c.Workers()-1)
			}
		}
		c.Stop()
	}
}

// TestAlone checks that on one CPU, where other workers can hardly begin, Do does not wait for
// them.
func TestAlone(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	c := New(4)
	defer c.Stop()
	alone := 0
	for range 100 {
		var here [4]bool
		c.Do(func(k int) { here[k] = true })
		if !here[0] {
			t.Fatal("f(0) was not called")
		}
		if here == [4]bool{true} {
			alone++
		}
	}
	if alone == 0 {
		t.Error("all others were waited for")
	}
}

// TestClosed runs phases that end at once. It checks that no worker begins with a phase after its
// end, and that the crew keeps no reference to the phase's function.
func TestClosed(t *testing.T) {
	c := New(4)
	defer c.Stop()
	for round := range 20000 {
		closed := false // not atomic, so that the race detector checks it
		c.Do(func(int) {
			if closed {
				t.Error("phase", round, "was over")
			}
			if round%8 == 0 {
				runtime.Gosched()
			}
		})
		closed = true
		if c.work != nil {
			t.Fatal("the last phase is still there")
		}
	}
}

// TestPanic checks that after a panic in the caller's f, no other worker is at work, and the crew
// keeps no reference to f.
func TestPanic(t *testing.T) { synctest.Test(t, testPanic) }

func testPanic(t *testing.T) {
	c := New(3)
	defer c.Stop()
	var here, done atomic.Int32
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		c.Do(func(k int) {
			if k > 0 {
				here.Add(1)
				time.Sleep(time.Second) // until the caller sleeps
				done.Add(1)
				return
			}
			for here.Load() < 2 {
				runtime.Gosched()
			}
			panic("f(0)")
		})
	}()
	if done.Load() != 2 || c.work != nil {
		t.Error("others are still at work")
	}
}

// TestStop checks that Stop ends the goroutines of crews that have worked, that sleep, or that have
// done no work.
func TestStop(t *testing.T) {
	synctest.Test(t, func(*testing.T) { // reports goroutines that do not end
		for i := range 100 {
			c := New(4)
			if i%3 > 0 {
				c.Do(func(int) {})
			}
			if i%3 > 1 {
				synctest.Wait() // until the others sleep
			}
			c.Stop()
		}
	})
}
