// Package forkjoin lets several goroutines carry out one call together (fork and join).
//
// Waking an idle CPU takes long, on some virtual machines 100 µs, which is a large part of a short
// call. So a call never waits for a goroutine that has not begun, and a goroutine that has begun
// stays awake between the phases of a call.
//
// A team is the goroutines of one call. A worker is one of these goroutines; it has a number, and
// the caller's goroutine is worker 0. A block is a unit of work: consecutive numbers that exactly
// one worker processes.
package forkjoin

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Team is the caller's goroutine and other goroutines, which end with the call:
//
//	c := forkjoin.New(workers)
//	defer c.Stop()
//	for b := c.Begin(n, size, f); b.Next(); { // for each phase of the call
//		f(0, b.Lo, b.Hi)
//	}
//
// Only the goroutine that made a Team may use it. A nil Team consists of that goroutine alone.
type Team struct {
	workers int

	// The upper half of state is the number of phases so far. The lower half holds the flags open
	// and over, and the number of workers, except the caller, that are at work on the last phase.
	state atomic.Uint64

	// The last phase, while it is open.
	work    func(worker, lo, hi int)
	n, size int
	next    atomic.Int64 // the first number that no worker has taken

	mu       sync.Mutex
	begun    sync.Cond // signals that a phase was opened, or that the call is over
	ended    sync.Cond // signals that the last worker has left a closed phase
	sleepers atomic.Int32
	waiting  atomic.Bool // the caller sleeps, and needs ended to be signalled
}

// The fields of state:
const (
	phase  = 1 << 32  // adding this constant counts a phase
	open   = 1 << 31  // flag: workers may still begin with the phase
	over   = 1 << 30  // flag: the call is over
	others = over - 1 // mask of the number of workers at work, except the caller
)

// New returns a team of the given number of goroutines, including the caller's, and starts all
// except the caller's. If workers is below 2 it returns nil.
func New(workers int) *Team {
	if workers < 2 {
		return nil
	}
	c := &Team{workers: workers}
	c.begun.L, c.ended.L = &c.mu, &c.mu
	for k := 1; k < workers; k++ {
		go c.run(k)
	}
	// Go's scheduler reserves the goroutine that was started last for the current thread: other
	// threads wait some 20 µs before they take it. So start one more goroutine that does nothing.
	go func() {}()
	return c
}

// Workers returns the number of goroutines, 1 for a nil Team.
func (c *Team) Workers() int {
	if c == nil {
		return 1
	}
	return c.workers
}

// Begin starts a phase, in which the workers process the numbers from 0 to n - 1 in blocks of the
// given size; the last block may be shorter. Exactly one worker processes each block: workers take
// blocks in ascending order until none is left. Other workers call f(worker, lo, hi) for a block
// with the numbers from lo to hi - 1. The caller processes the blocks that the result's method Next
// returns, and must call Next until it returns false.
//
// Possibly no other worker begins, and then Next returns all blocks. If there is only one block,
// Begin wakes no other worker. Every call of f sees the writes made before Begin. When Next has
// returned false, the caller sees the writes of every call of f.
func (c *Team) Begin(n, size int, f func(worker, lo, hi int)) Blocks {
	if c == nil || n <= size {
		return Blocks{n: n, size: size}
	}
	c.work, c.n, c.size = f, n, size
	c.next.Store(0)
	c.state.Store(c.state.Load()&^(phase-1) + phase | open)
	c.wake()
	return Blocks{n: n, size: size, team: c}
}

// Blocks is one worker's view of the blocks of a phase.
type Blocks struct {
	Lo, Hi int // the worker's block, the numbers from Lo to Hi - 1

	n, size int
	team    *Team // nil if the caller alone processes all blocks
}

// Next sets b to the next block. If no block is left, it waits until the other workers have
// finished, and returns false.
func (b *Blocks) Next() bool {
	if b.team == nil {
		b.Lo = b.Hi
		b.Hi += min(b.size, b.n-b.Lo) // b.Hi + b.size may overflow
		return b.Lo < b.Hi
	}
	if b.take() {
		return true
	}
	b.team.End()
	return false
}

// take sets b to the next block of a phase that b.team processes. It returns false if no block is
// left.
func (b *Blocks) take() bool {
	end, n := b.team.next.Add(int64(b.size)), int64(b.n) // end may overflow an int of 32 bits
	b.Lo, b.Hi = int(min(end-int64(b.size), n)), int(min(end, n))
	return b.Lo < b.Hi
}

// Share runs a phase to its end. The caller, too, calls f.
func (c *Team) Share(n, size int, f func(worker, lo, hi int)) {
	for b := c.Begin(n, size, f); b.Next(); {
		f(0, b.Lo, b.Hi)
	}
}

// Do runs a phase with a block for each worker. A worker that begins early may process several.
func (c *Team) Do(f func(worker int)) {
	c.Share(c.Workers(), 1, func(worker, _, _ int) { f(worker) })
}

// End ends the phase, if one is open: no further worker begins with it, and End waits for those
// that have begun, until no block is left. Next and Stop call it. A function whose deferred calls
// release memory that workers use must defer End too, in case the caller's work panics.
func (c *Team) End() {
	if c == nil || c.work == nil {
		return
	}
	c.state.And(^uint64(open))
	if !awake(c.isEnded) {
		c.waiting.Store(true)
		c.mu.Lock()
		for !c.isEnded() {
			c.ended.Wait()
		}
		c.mu.Unlock()
		c.waiting.Store(false)
	}
	c.work = nil
}

// Stop calls End, and then ends the goroutines of the team.
func (c *Team) Stop() {
	if c == nil {
		return
	}
	c.End()
	c.state.Or(over)
	c.wake()
}

// isEnded reports whether no worker except the caller is at work on the phase.
func (c *Team) isEnded() bool { return c.state.Load()&others == 0 }

// wake wakes all workers that sleep.
func (c *Team) wake() {
	// A worker either sees the new state before it sleeps, or is already counted in sleepers.
	if c.sleepers.Load() > 0 {
		c.mu.Lock()
		c.begun.Broadcast()
		c.mu.Unlock()
	}
}

// run executes the phases of worker k until the call is over.
func (c *Team) run(k int) {
	last := uint64(0) // number of the last phase that this worker worked on
	isNew := func() bool {
		s := c.state.Load()
		return s&over != 0 || s&open != 0 && s/phase != last
	}
	for {
		if !awake(isNew) {
			c.mu.Lock()
			c.sleepers.Add(1)
			for !isNew() {
				c.begun.Wait()
			}
			c.sleepers.Add(-1)
			c.mu.Unlock()
		}
		s := c.state.Load()
		if s&over != 0 {
			return
		}
		if s&open == 0 || !c.state.CompareAndSwap(s, s+1) {
			continue // a phase was closed, or another worker began or ended
		}
		last = s / phase
		for b := (Blocks{n: c.n, size: c.size, team: c}); b.take(); {
			c.work(k, b.Lo, b.Hi)
		}
		if s := c.state.Add(^uint64(0)); s&(open|others) == 0 && c.waiting.Load() {
			c.mu.Lock()
			c.ended.Signal()
			c.mu.Unlock()
		}
	}
}

// patience is the time for which a goroutine polls before it sleeps. Waking a goroutine takes about
// as long, so polling costs at most as much as it may save (the ski rental problem).
const patience = 50 * time.Microsecond

// looks is the maximum number of times that awake reads the clock. A limit is necessary because a
// clock may advance in large steps, or, under testing/synctest, not at all while a goroutine runs.
const looks = 2000

// awake polls condition for at most the duration patience, and reports whether the condition became
// true. Between polls it yields to other goroutines.
func awake(condition func() bool) bool {
	if condition() {
		return true
	}
	begin := time.Now()
	for look := 0; look < looks && time.Since(begin) < patience; look++ {
		for range 20 {
			if condition() {
				return true
			}
		}
		runtime.Gosched()
	}
	return condition()
}

// Limit returns the greatest number of workers of a call: the argument workers, or GOMAXPROCS if
// workers is below 1.
func Limit(workers int) int {
	if workers < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}

// Context returns ctx, or the background context if ctx is nil.
func Context(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
