package amd64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// addDwords adds the instructions on 32-bit lanes to the table t.
func addDwords(t table) {
	one(t, "VPRORD", 0, 3, shiftLanes(func(a, count uint64) uint64 {
		return halves(func(x, _ uint32) uint32 { return bits.RotateLeft32(x, -int(count)) })(a, 0)
	}))
	one(t, "VPUNPCKLDQ", 0, 3, interleaveDwords(0))
	one(t, "VPUNPCKHDQ", 0, 3, interleaveDwords(1))
	one(t, "VPMOVQD", 0, 2, narrow)
	one(t, "VPTESTMD", 0, 3, testMask(32, func(a, b, _ uint64) bool { return a&b != 0 }))
	one(t, "VPCMPUD", 0, 4, testMask(32, compare))
	one(t, "VPORD", 0, 3, orDwords)
	t["VPORD"].Most = 4 // with a mask, there is a fourth operand
	one(t, "VPCOMPRESSD", 0, 3, compressDwords)
}

// setDword sets the k-th 32-bit lane of v to x. The lane must be 0 before.
func setDword(v *vector, k int, x uint64) { v.V[k/2] |= x << (32 * (k & 1)) }

// narrow runs VPMOVQD between registers: it packs the low halves of the 64-bit lanes.
func narrow(m *machine, i *inst) {
	n := i.Lanes
	a := getVec(m, i, &i.Op[0], 2*n)
	r := vector{Secret: anySecret(n, a)}
	for k := range 2 * n {
		setDword(&r, k, a.V[k]&interp.WidthMask(32))
	}
	setVec(m, i, &i.Op[1], r, n)
}

// orDwords runs VPORD, with an optional mask of 32-bit lanes.
func orDwords(m *machine, i *inst) {
	n, last := i.Lanes, len(i.Op)-1
	a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
	chosen, old := word{V: 1<<(2*n) - 1}, vector{}
	if last == 3 {
		chosen = m.ReadMask(&i.Op[2])
		if !i.Zeroing {
			old = getVec(m, i, &i.Op[last], n)
		}
	}
	r := vector{Secret: anySecret(n, a, b, old)}
	if chosen.Secret {
		r.Secret = 1<<n - 1
	}
	for k := range 2 * n {
		if chosen.V>>k&1 == 1 {
			setDword(&r, k, lane(&a, k, 32)|lane(&b, k, 32))
		} else {
			setDword(&r, k, lane(&old, k, 32))
		}
	}
	setVec(m, i, &i.Op[last], r, n)
}

// compressDwords runs VPCOMPRESSD between registers: it moves the lanes that the mask selects to
// the lowest lanes, in order. The lanes after them become zero if the instruction zeroes, and keep
// their values otherwise.
func compressDwords(m *machine, i *inst) {
	n := i.Lanes
	a, chosen := getVec(m, i, &i.Op[0], n), m.ReadMask(&i.Op[1])
	old := vector{}
	if !i.Zeroing {
		old = getVec(m, i, &i.Op[2], n)
	}
	r := vector{Secret: anySecret(n, a, old)}
	if chosen.Secret {
		r.Secret = 1<<n - 1
	}
	to := 0
	for k := range 2 * n {
		if chosen.V>>k&1 == 1 {
			setDword(&r, to, lane(&a, k, 32))
			to++
		}
	}
	for ; to < 2*n; to++ {
		setDword(&r, to, lane(&old, to, 32))
	}
	setVec(m, i, &i.Op[2], r, n)
}

// interleaveDwords returns the function for VPUNPCKLDQ (lane is 0) or VPUNPCKHDQ (lane is 1). In
// every 128 bits, the instruction takes the 64-bit lane with this index of both sources, and
// interleaves the 32-bit halves of the two lanes.
func interleaveDwords(lane int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
		r := vector{}
		for k := 0; k < n; k += 2 {
			x, y := a.V[k+lane], b.V[k+lane]
			r.V[k] = x&0xffffffff | y<<32
			r.V[k+1] = x>>32 | y>>32<<32
			r.Secret |= (a.Secret | b.Secret) >> (k + lane) & 1 * 3 << k
		}
		setVec(m, i, &i.Op[2], r, n)
	}
}
