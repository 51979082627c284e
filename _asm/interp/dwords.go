package interp

import "math/bits"

// addDwords adds instructions on lanes of 32 bits.
func addDwords(t table) {
	one(t, "VPRORD", 0, 3, shiftLanes(func(a, count uint64) uint64 {
		return halves(func(x, _ uint32) uint32 { return bits.RotateLeft32(x, -int(count)) })(a, 0)
	}))
	one(t, "VPUNPCKLDQ", 0, 3, interleaveDwords(0))
	one(t, "VPUNPCKHDQ", 0, 3, interleaveDwords(1))
	one(t, "VPMOVQD", 0, 2, narrow)
	one(t, "VPTESTMD", 0, 3, testDwords(func(a, b, _ uint64) bool { return a&b != 0 }))
	one(t, "VPCMPUD", 0, 4, testDwords(compare(false)))
	one(t, "VPORD", 0, 3, orDwords)
	t["VPORD"].most = 4 // with a mask
	one(t, "VPCOMPRESSD", 0, 3, compressDwords)
}

// dword returns lane k of 32 bits.
func (v *vector) dword(k int) uint64 { return v.v[k/2] >> (32 * (k & 1)) & 0xffffffff }

// setDword sets lane k of 32 bits, which was 0.
func (v *vector) setDword(k int, x uint64) { v.v[k/2] |= x << (32 * (k & 1)) }

// narrow is VPMOVQD between registers: the low halves of 64-bit lanes, together.
func narrow(m *Machine, i *inst) {
	n := i.lanes()
	a := m.getVec(i, &i.op[0], 2*n)
	r := vector{secret: anySecret(n, a)}
	for k := range 2 * n {
		r.setDword(k, a.v[k]&0xffffffff)
	}
	m.setVec(i, &i.op[1], r, n)
}

// testDwords is testMask for lanes of 32 bits.
func testDwords(f func(a, b, imm uint64) bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		at := 0
		var imm uint64
		if i.op[0].kind == isImm {
			imm, at = i.op[0].imm, 1
		}
		a, b := m.getVec(i, &i.op[at+1], n), m.getVec(i, &i.op[at], n)
		r := mask{defined: true, secret: (a.secret | b.secret) != 0}
		for k := range 2 * n {
			if f(a.dword(k), b.dword(k), imm) {
				r.v |= 1 << k
			}
		}
		m.opmask[i.op[at+2].index] = r
	}
}

// orDwords is VPORD, with a mask of 32-bit lanes if there is one.
func orDwords(m *Machine, i *inst) {
	n, last := i.lanes(), len(i.op)-1
	a, b := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[0], n)
	chosen, old := word{v: 1<<(2*n) - 1}, vector{}
	if last == 3 {
		chosen = m.getMask(&i.op[2])
		if !i.zeroing {
			old = m.getVec(i, &i.op[last], n)
		}
	}
	r := vector{secret: anySecret(n, a, b, old)}
	if chosen.secret {
		r.secret = 1<<n - 1
	}
	for k := range 2 * n {
		if chosen.v>>k&1 == 1 {
			r.setDword(k, a.dword(k)|b.dword(k))
		} else {
			r.setDword(k, old.dword(k))
		}
	}
	m.setVec(i, &i.op[last], r, n)
}

// compressDwords is VPCOMPRESSD between registers: the lanes of a mask, together.
// Those behind them are zero, or as they were.
func compressDwords(m *Machine, i *inst) {
	n := i.lanes()
	a, chosen := m.getVec(i, &i.op[0], n), m.getMask(&i.op[1])
	old := vector{}
	if !i.zeroing {
		old = m.getVec(i, &i.op[2], n)
	}
	r := vector{secret: anySecret(n, a, old)}
	if chosen.secret {
		r.secret = 1<<n - 1
	}
	to := 0
	for k := range 2 * n {
		if chosen.v>>k&1 == 1 {
			r.setDword(to, a.dword(k))
			to++
		}
	}
	for ; to < 2*n; to++ {
		r.setDword(to, old.dword(to))
	}
	m.setVec(i, &i.op[2], r, n)
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
