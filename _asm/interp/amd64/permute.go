package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// permute returns the function that moves 64-bit lanes of one source as an immediate says: lane k
// of the result is lane from(k, imm) of the source.
func permute(from func(k int, imm uint64) int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		a := getVec(m, i, &i.Op[1], n)
		r := vector{}
		for k := range n {
			f := from(k, i.Op[0].Imm)
			r.V[k] = a.V[f]
			r.Secret |= a.Secret >> f & 1 << k
		}
		setVec(m, i, &i.Op[2], r, n)
	}
}

// permQ runs VPERMQ, with an immediate or with a vector of indices.
func permQ(m *machine, i *inst) {
	if i.Op[0].Kind == interp.Immediate {
		permute(func(k int, imm uint64) int { return k&^3 | int(imm>>(2*(k&3))&3) })(m, i)
		return
	}
	n := i.Lanes
	a, x := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n)
	r := vector{Secret: anySecret(n, a, x)}
	for k := range n {
		r.V[k] = a.V[x.V[k]%uint64(n)]
	}
	setVec(m, i, &i.Op[2], r, n)
}

// perm2 returns the function for VPERMI2Q or VPERMT2Q, which select each lane of the result from
// the lanes of two registers. The indices are in the destination (VPERMI2Q) or in the first source.
func perm2(indexInDestination bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		hi, mid, d := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
		x, lo := mid, d
		if indexInDestination {
			x, lo = d, mid
		}
		r := vector{Secret: anySecret(n, hi, mid, d)}
		for k := range n {
			at := x.V[k] % uint64(2*n)
			if at < uint64(n) {
				r.V[k] = lo.V[at]
			} else {
				r.V[k] = hi.V[at-uint64(n)]
			}
		}
		setVec(m, i, &i.Op[2], r, n)
	}
}

// shuffle32 returns the result of VPSHUFD, which permutes the 32-bit lanes within every 128 bits.
func shuffle32(m *machine, i *inst, a vector, n int) vector {
	r := vector{Secret: anySecret(n, a)}
	for k := range 2 * n {
		f := k&^3 | int(i.Op[0].Imm>>(2*(k&3))&3)
		r.V[k/2] |= a.V[f/2] >> (32 * (f & 1)) & 0xffffffff << (32 * (k & 1))
	}
	return r
}

// interleave returns the function for VPUNPCKLQDQ (high is 0) or VPUNPCKHQDQ (high is 1): in every
// 128 bits, it takes that 64-bit lane of both sources.
func interleave(high int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
		r := vector{}
		for k := 0; k < n; k += 2 {
			r.V[k], r.V[k+1] = a.V[k+high], b.V[k+high]
			r.Secret |= a.Secret>>(k+high)&1<<k | b.Secret>>(k+high)&1<<(k+1)
		}
		setVec(m, i, &i.Op[2], r, n)
	}
}

// perm128 runs VPERM2I128, which selects each 128-bit half of the result from the halves of two
// sources.
func perm128(m *machine, i *inst) {
	b, a := getVec(m, i, &i.Op[1], 4), getVec(m, i, &i.Op[2], 4)
	r := vector{}
	for half := range 2 {
		c := i.Op[0].Imm >> (4 * half)
		if c&8 != 0 {
			continue
		}
		from := &a
		if c&2 != 0 {
			from = &b
		}
		for k := range 2 {
			f := int(c&1)*2 + k
			r.V[2*half+k] = from.V[f]
			r.Secret |= from.Secret >> f & 1 << (2*half + k)
		}
	}
	setVec(m, i, &i.Op[3], r, 4)
}

// extract returns the function that extracts a block of lanes from a vector. block is the number of
// lanes.
func extract(block int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := int(i.Op[1].Bits / 64)
		a := getVec(m, i, &i.Op[1], n)
		at := int(i.Op[0].Imm) % (n / block) * block
		r := vector{Secret: a.Secret >> at & (1<<block - 1)}
		copy(r.V[:block], a.V[at:at+block])
		setVec(m, i, &i.Op[2], r, block)
	}
}

// insert returns the function that inserts a block of lanes into a copy of a vector. block is the
// number of lanes.
func insert(block int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		b, a := getVec(m, &inst{}, &i.Op[1], block), getVec(m, i, &i.Op[2], n)
		at := int(i.Op[0].Imm) % (n / block) * block
		copy(a.V[at:at+block], b.V[:block])
		a.Secret = a.Secret&^((1<<block-1)<<at) | b.Secret<<at
		setVec(m, i, &i.Op[3], a, n)
	}
}

func vpinsrq(m *machine, i *inst) {
	w, a := m.GetBits(&i.Op[1], 64), getVec(m, i, &i.Op[2], 2)
	at := i.Op[0].Imm & 1
	a.V[at] = w.V
	a.Secret &^= 1 << at
	if w.Secret {
		a.Secret |= 1 << at
	}
	setVec(m, i, &i.Op[3], a, 2)
}

func vpextrq(m *machine, i *inst) {
	a := getVec(m, i, &i.Op[1], 2)
	at := i.Op[0].Imm & 1
	m.SetBits(&i.Op[2], 64, value(a.V[at], a.Secret>>at&1 == 1))
}

// valignq runs VALIGNQ: it shifts the concatenation of two vectors down by a number of lanes.
func valignq(m *machine, i *inst) {
	n := i.Lanes
	lo, hi := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
	r := vector{Secret: anySecret(n, lo, hi)}
	for k := range n {
		if f := k + int(i.Op[0].Imm)%n; f < n {
			r.V[k] = lo.V[f]
		} else {
			r.V[k] = hi.V[f-n]
		}
	}
	setVec(m, i, &i.Op[3], r, n)
}

// shuffleBlocks runs VSHUFI64X2, which selects blocks of two lanes. The blocks in the lower half of
// the result come from the first source, and those in the upper half from the second.
func shuffleBlocks(m *machine, i *inst) {
	n := i.Lanes
	b, a := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
	blocks, r := n/2, vector{}
	imm := int(i.Op[0].Imm)
	for k := range blocks {
		from := &a
		if k >= blocks/2 {
			from = &b
		}
		f := imm % blocks
		imm /= blocks
		for j := range 2 {
			r.V[2*k+j] = from.V[2*f+j]
			r.Secret |= from.Secret >> (2*f + j) & 1 << (2*k + j)
		}
	}
	setVec(m, i, &i.Op[3], r, n)
}
