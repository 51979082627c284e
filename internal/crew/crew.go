// Package crew lets several goroutines carry out one call together.
//
// To wake an idle core takes long, on some virtual machines 100 µs, in which
// most of a short call could be over. So nobody waits for a goroutine that has not
// come yet, and one that has come stays awake from one part of the call to the
// next.
package crew

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Crew is the caller's goroutine and some others, which end with the call:
//
//	c := crew.New(workers)
//	defer c.Stop()
//	c.Do(…) // as often as there are parts
//
// A Crew serves one goroutine, which has made it. A nil Crew is that alone.
type Crew struct {
	workers int

	// state counts the parts, in its upper half, and says below whether the
	// last one is open to those who come, or all is over, and how many others
	// are at work on it.
	state atomic.Uint64
	work  func(worker int) // the open part

	mu       sync.Mutex
	begun    sync.Cond // that a part was opened, or that all is over
	ended    sync.Cond // that the last of the others is done with a closed part
	sleepers atomic.Int32
	waiting  atomic.Bool // the caller, for ended
}

const (
	part   = 1 << 32
	open   = 1 << 31
	over   = 1 << 30
	others = over - 1
)

// New returns a crew of so many goroutines, the caller's among them, and starts
// them. With workers below 2 that is nil.
func New(workers int) *Crew {
	if workers < 2 {
		return nil
	}
	c := &Crew{workers: workers}
	c.begun.L, c.ended.L = &c.mu, &c.mu
	for k := 1; k < workers; k++ {
		go c.member(k)
	}
	// The goroutine that was started last is reserved for this thread: the scheduler
	// makes others wait some 20 µs before they may take it. So that is none of them.
	go func() {}()
	return c
}

// Workers returns how many goroutines there are, 1 for a nil Crew.
func (c *Crew) Workers() int {
	if c == nil {
		return 1
	}
	return c.workers
}

// Do calls f(0) on the caller's goroutine and, at the same time, f(k) on that of
// every other worker k, below Workers, which comes before f(0) has returned. It
// returns when all have. So f(0) alone must do all that is to be done, and whoever
// comes take some of it over. All that was written before is seen by every f, and
// what they write by the caller.
func (c *Crew) Do(f func(worker int)) {
	if c == nil {
		f(0)
		return
	}
	c.work = f
	c.state.Store(c.state.Load()&^(part-1) + part | open)
	c.wake()
	defer c.end() // also if f panics: whoever recovers finds nobody at work
	f(0)
}

// end closes the part and waits for those who are at work on it.
func (c *Crew) end() {
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

// Share calls f for blocks of size, the last of which may be shorter, that make up
// the numbers from 0 to n. Every block is done by one worker, and one that is alone
// by the caller, who calls nobody for it.
func (c *Crew) Share(n, size int, f func(worker, lo, hi int)) {
	if n <= size {
		c = nil
	}
	b := NewBlocks(n, size)
	c.Do(func(worker int) {
		for lo, hi := b.Take(); lo < hi; lo, hi = b.Take() {
			f(worker, lo, hi)
		}
	})
}

// Blocks are parts of the numbers from 0 to n, which workers take one after the
// other.
type Blocks struct {
	n, size int
	next    atomic.Int64
}

// NewBlocks returns those of so many numbers each.
func NewBlocks(n, size int) *Blocks { return &Blocks{n: n, size: size} }

// Take returns the bounds of a block that nobody else has. If none is left, they
// are equal.
func (b *Blocks) Take() (lo, hi int) {
	hi = int(b.next.Add(int64(b.size)))
	lo = hi - b.size
	return min(lo, b.n), min(hi, b.n)
}

// Left returns how many of the numbers nobody has.
func (b *Blocks) Left() int { return max(0, b.n-int(b.next.Load())) }

// Stop ends the crew.
func (c *Crew) Stop() {
	if c == nil {
		return
	}
	c.state.Or(over)
	c.wake()
}

// isEnded returns whether no other is at work.
func (c *Crew) isEnded() bool { return c.state.Load()&others == 0 }

// wake wakes those who sleep.
func (c *Crew) wake() {
	// Either they see the new state before they sleep, or they are counted.
	if c.sleepers.Load() > 0 {
		c.mu.Lock()
		c.begun.Broadcast()
		c.mu.Unlock()
	}
}

// member is what worker k does.
func (c *Crew) member(k int) {
	last := uint64(0) // the part that it has worked on
	isNew := func() bool {
		s := c.state.Load()
		return s&over != 0 || s&open != 0 && s/part != last
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
			continue // closed again, or somebody else came or went
		}
		last = s / part
		c.work(k)
		if s := c.state.Add(^uint64(0)); s&(open|others) == 0 && c.waiting.Load() {
			c.mu.Lock()
			c.ended.Signal()
			c.mu.Unlock()
		}
	}
}

// patience is how long somebody stays awake for what comes: about as long as it
// would take to wake them, so that they lose no more than that by not knowing.
const patience = 50 * time.Microsecond

// looks is how often they look at the clock meanwhile, at most: a clock may move in
// steps that are longer, or not at all as long as somebody is awake (testing/synctest).
const looks = 2000

// awake waits for the condition, for a while, and returns whether it has come
// true. Whoever else wants to run on this thread can.
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
