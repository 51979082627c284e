package interp

import "math/bits"

// addDwords adds instructions on lanes of 32 bits that hashing uses.
func addDwords(t table) {
	one(t, "VPRORD", 0, 3, shiftLanes(func(a, count uint64) uint64 {
		return halves(func(x, _ uint32) uint32 { return bits.RotateLeft32(x, -int(count)) })(a, 0)
	}))
	one(t, "VPUNPCKLDQ", 0, 3, interleaveDwords(0))
	one(t, "VPUNPCKHDQ", 0, 3, interleaveDwords(1))
}

// interleaveDwords is VPUNPCKLDQ and VPUNPCKHDQ: of every 128 bits of two
// sources, the 32-bit lanes of one half in turns.
func interleaveDwords(high int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		a, b := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[0], n)
		r := vector{}
		for k := 0; k < n; k += 2 {
			x, y := a.v[k+high], b.v[k+high]
			r.v[k] = x&0xffffffff | y<<32
			r.v[k+1] = x>>32 | y>>32<<32
			r.secret |= (a.secret | b.secret) >> (k + high) & 1 * 3 << k
		}
		m.setVec(i, &i.op[2], r, n)
	}
}
