package forkjoin

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

// share runs a phase to its end, in the way that the documentation of Team shows.
func share(c *Team, n, size int, f func(worker, lo, hi int)) {
	for b := c.Begin(n, size, f); b.Next(); {
		f(0, b.Lo, b.Hi)
	}
}

// TestBegin checks that every block is processed exactly once before Next returns false, and that
// no two goroutines use the same worker number at the same time.
func TestBegin(t *testing.T) {
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
			share(c, n, size, work)
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

// TestBlocksEnd checks that blocks cover all numbers once, for one worker and for several, and that
// calls after the last block return false, even if the number after a block does not fit in an int
// of 32 bits.
func TestBlocksEnd(t *testing.T) {
	for _, n := range []int{0, 1, 1000, math.MaxInt32 - 1, math.MaxInt32} {
		for _, size := range []int{1<<29 + 1, math.MaxInt32} {
			for _, b := range []Blocks{{n: n, size: size}, {n: n, size: size, team: new(Team)}} {
				for next := 0; ; next = b.Hi {
					found := b.Next()
					if found != (next < n) || found && (b.Lo != next || b.Hi != next+min(size, n-next)) {
						t.Fatalf("%d numbers in blocks of %d: %d to %d after %d", n, size, b.Lo, b.Hi, next)
					}
					if !found {
						break
					}
				}
				for range 2 {
					if b.Next() {
						t.Errorf("%d numbers in blocks of %d: a block after the last", n, size)
					}
				}
			}
		}
	}
}

// TestJoin checks that Next waits for all workers that have begun, in phases that last longer than
// the caller polls, even if the workers were asleep before.
func TestJoin(t *testing.T) { synctest.Test(t, testJoin) }

func testJoin(t *testing.T) {
	for _, workers := range sizes {
		c := New(workers)
		for range 5 {
			time.Sleep(time.Second) // until the workers sleep
			var here, late atomic.Int32
			share(c, c.Workers(), 1, func(k, _, _ int) {
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
				t.Fatalf("the phase ended when %d of %d others were done", got, c.Workers()-1)
			}
		}
		c.Stop()
	}
}

// TestAlone checks that on one CPU, where other workers can hardly begin, the caller does not wait
// for them.
func TestAlone(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	c := New(4)
	defer c.Stop()
	alone := 0
	for range 100 {
		var here [4]bool
		share(c, 4, 1, func(k, _, _ int) { here[k] = true })
		if here == [4]bool{true} {
			alone++
		}
	}
	if alone == 0 {
		t.Error("all others were waited for")
	}
}

// TestClosed runs phases that end at once. It checks that no worker begins with a phase after its
// end, and that the team keeps no reference to the phase's function.
func TestClosed(t *testing.T) {
	c := New(4)
	defer c.Stop()
	for round := range 20000 {
		closed := false // not atomic, so that the race detector checks it
		share(c, 4, 1, func(_, _, _ int) {
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

// TestPanic checks that after a panic of the caller in a phase, Stop waits until no other worker is
// at work.
func TestPanic(t *testing.T) { synctest.Test(t, testPanic) }

func testPanic(t *testing.T) {
	var here, done atomic.Int32
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		c := New(3)
		defer c.Stop()
		share(c, 3, 1, func(k, _, _ int) {
			here.Add(1)
			if k > 0 {
				time.Sleep(time.Second) // until the caller sleeps
				done.Add(1)
				return
			}
			for here.Load() < 3 {
				runtime.Gosched()
			}
			panic("the caller")
		})
	}()
	if done.Load() != 2 {
		t.Error("others are still at work")
	}
}

// TestStop checks that Stop ends the goroutines of teams that have worked, that sleep, or that have
// done no work.
func TestStop(t *testing.T) {
	synctest.Test(t, func(*testing.T) { // reports goroutines that do not end
		for i := range 100 {
			c := New(4)
			if i%3 > 0 {
				share(c, 4, 1, func(_, _, _ int) {})
			}
			if i%3 > 1 {
				synctest.Wait() // until the others sleep
			}
			c.Stop()
		}
	})
}
