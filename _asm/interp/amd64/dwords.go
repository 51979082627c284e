package amd64

import "math/bits"

// addDwords adds the instructions on 32-bit lanes to the table t.
func addDwords(t table) {
	one(t, "VPRORD", 0, 3, shiftLanes(func(a, count uint64) uint64 {
		return halves(func(x, _ uint32) uint32 { return bits.RotateLeft32(x, -int(count)) })(a, 0)
	}))
	one(t, "VPTESTMD", 0, 3, testMask(32, func(a, b, _ uint64) bool { return a&b != 0 }))
	one(t, "VPCMPUD", 0, 4, testMask(32, compare))
	one(t, "VPORD", 0, 3, orDwords)
	t["VPORD"].Most = 4 // with a mask, there is a fourth operand
	one(t, "VPCOMPRESSD", 0, 3, compressDwords)
}

// setDword sets the k-th 32-bit lane of v to x. The lane must be 0 before.
func setDword(v *vector, k int, x uint64) { v.V[k/2] |= x << (32 * (k & 1)) }

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
