package interp

// permute moves lanes within one source by an immediate: from says which lane
// the k-th comes from.
func permute(from func(k int, imm uint64) int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		a := m.getVec(i, &i.op[1], n)
		r := vector{}
		for k := range n {
			f := from(k, i.op[0].imm)
			r.v[k] = a.v[f]
			r.secret |= a.secret >> f & 1 << k
		}
		m.setVec(i, &i.op[2], r, n)
	}
}

// permQ is VPERMQ in both forms, by an immediate or by a vector of indices.
func permQ(m *Machine, i *inst) {
	if i.op[0].kind == isImm {
		permute(func(k int, imm uint64) int { return k&^3 | int(imm>>(2*(k&3))&3) })(m, i)
		return
	}
	n := i.lanes()
	a, x := m.getVec(i, &i.op[0], n), m.getVec(i, &i.op[1], n)
	r := vector{secret: anySecret(n, a, x)}
	for k := range n {
		r.v[k] = a.v[x.v[k]%uint64(n)]
	}
	m.setVec(i, &i.op[2], r, n)
}

// perm2 is VPERMI2Q and VPERMT2Q: a lookup in two registers. The indices are in
// the destination or in the first source.
func perm2(indexInDestination bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		hi, mid, d := m.getVec(i, &i.op[0], n), m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n)
		x, lo := mid, d
		if indexInDestination {
			x, lo = d, mid
		}
		r := vector{secret: anySecret(n, hi, mid, d)}
		for k := range n {
			at := x.v[k] % uint64(2*n)
			if at < uint64(n) {
				r.v[k] = lo.v[at]
			} else {
				r.v[k] = hi.v[at-uint64(n)]
			}
		}
		m.setVec(i, &i.op[2], r, n)
	}
}

// shuffle32 is VPSHUFD: 32-bit lanes within every 128 bits.
func shuffle32(m *Machine, i *inst, a vector, n int) vector {
	r := vector{secret: anySecret(n, a)}
	for k := range 2 * n {
		f := k&^3 | int(i.op[0].imm>>(2*(k&3))&3)
		r.v[k/2] |= a.v[f/2] >> (32 * (f & 1)) & 0xffffffff << (32 * (k & 1))
	}
	return r
}

// interleave is VPUNPCKLQDQ and VPUNPCKHQDQ.
func interleave(high int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		a, b := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[0], n)
		r := vector{}
		for k := 0; k < n; k += 2 {
			r.v[k], r.v[k+1] = a.v[k+high], b.v[k+high]
			r.secret |= a.secret>>(k+high)&1<<k | b.secret>>(k+high)&1<<(k+1)
		}
		m.setVec(i, &i.op[2], r, n)
	}
}

// perm128 is VPERM2I128.
func perm128(m *Machine, i *inst) {
	b, a := m.getVec(i, &i.op[1], 4), m.getVec(i, &i.op[2], 4)
	r := vector{}
	for half := range 2 {
		c := i.op[0].imm >> (4 * half)
		if c&8 != 0 {
			continue
		}
		from := &a
		if c&2 != 0 {
			from = &b
		}
		for k := range 2 {
			f := int(c&1)*2 + k
			r.v[2*half+k] = from.v[f]
			r.secret |= from.secret >> f & 1 << (2*half + k)
		}
	}
	m.setVec(i, &i.op[3], r, 4)
}

// extract takes a block of lanes out of a vector.
func extract(block int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := int(i.op[1].bits / 64)
		a := m.getVec(i, &i.op[1], n)
		at := int(i.op[0].imm) % (n / block) * block
		r := vector{secret: a.secret >> at & (1<<block - 1)}
		copy(r.v[:block], a.v[at:at+block])
		m.setVec(i, &i.op[2], r, block)
	}
}

// insert puts a block of lanes into a copy of a vector.
func insert(block int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n := i.lanes()
		b, a := m.getVec(&inst{}, &i.op[1], block), m.getVec(i, &i.op[2], n)
		at := int(i.op[0].imm) % (n / block) * block
		copy(a.v[at:at+block], b.v[:block])
		a.secret = a.secret&^((1<<block-1)<<at) | b.secret<<at
		m.setVec(i, &i.op[3], a, n)
	}
}

func vpinsrq(m *Machine, i *inst) {
	w, a := m.getBits(&i.op[1], 64), m.getVec(i, &i.op[2], 2)
	at := i.op[0].imm & 1
	a.v[at] = w.v
	a.secret &^= 1 << at
	if w.secret {
		a.secret |= 1 << at
	}
	m.setVec(i, &i.op[3], a, 2)
}

func vpextrq(m *Machine, i *inst) {
	a := m.getVec(i, &i.op[1], 2)
	at := i.op[0].imm & 1
	m.setBits(&i.op[2], 64, word{a.v[at], a.secret>>at&1 == 1})
}

// valignq takes n lanes from a pair of vectors, from a lane on.
func valignq(m *Machine, i *inst) {
	n := i.lanes()
	lo, hi := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n)
	r := vector{secret: anySecret(n, lo, hi)}
	for k := range n {
		if f := k + int(i.op[0].imm)%n; f < n {
			r.v[k] = lo.v[f]
		} else {
			r.v[k] = hi.v[f-n]
		}
	}
	m.setVec(i, &i.op[3], r, n)
}

// shuffleBlocks is VSHUFI64X2: blocks of two lanes, the lower half of the result
// from the first source, the upper one from the second.
func shuffleBlocks(m *Machine, i *inst) {
	n := i.lanes()
	b, a := m.getVec(i, &i.op[1], n), m.getVec(i, &i.op[2], n)
	blocks, r := n/2, vector{}
	imm := int(i.op[0].imm)
	for k := range blocks {
		from := &a
		if k >= blocks/2 {
			from = &b
		}
		f := imm % blocks
		imm /= blocks
		for j := range 2 {
			r.v[2*k+j] = from.v[2*f+j]
			r.secret |= from.secret >> (2*f + j) & 1 << (2*k + j)
		}
	}
	m.setVec(i, &i.op[3], r, n)
}
