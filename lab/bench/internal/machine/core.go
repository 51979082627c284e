package machine

import (
	"math"
	"time"
)

// Core estimates the CPU's clock in GHz and the number of independent additions that this thread's
// core does per cycle, in about a millisecond.
//
// A thread alone on its core does more independent additions than a thread that shares the core
// with another hyperthread. A chain of dependent multiplications takes the same time in both cases,
// so it shows the clock. The ratio of the two does not depend on the clock. Core times several
// short slices of both and takes the fastest, so that an interruption does not count.
func Core() (ghz, adds float64) {
	const n = 50_000
	chain, sums := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	x := uint64(1)
	for range 8 {
		start := time.Now()
		x = multiply(n, x)
		middle := time.Now()
		x += uint64(add(n, uint(x)))
		chain, sums = min(chain, middle.Sub(start)), min(sums, time.Since(middle))
	}
	ghz = 4 * n / float64(max(chain, 1))
	return ghz, 8 * n / float64(max(sums, 1)) / ghz
}

// multiply runs a chain of n dependent multiplications and additions, and returns the last result.
// On most CPUs, a step of the chain takes four cycles.
//
//go:noinline
func multiply(n int, x uint64) uint64 {
	for range n {
		x = x*0x5851f42d4c957f2d + 1
	}
	return x
}

// add runs n steps of eight independent additions, and returns the exclusive or of the eight sums.
// The sums begin with different values, because the compiler merges variables that are always
// equal. Eight sums and the loop's counters fit into the registers of 64-bit CPUs.
//
//go:noinline
func add(n int, x uint) uint {
	a, b, c, d, e, f, g, h := x, x>>1, x>>2, x>>3, x>>4, x>>5, x>>6, x>>7
	for range n {
		a++
		b++
		c++
		d++
		e++
		f++
		g++
		h++
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h
}
