package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// permQ runs VPERMQ. The indices are a vector, or an immediate that selects lanes in every 256
// bits.
func permQ(m *machine, i *inst) {
	n := i.Lanes
	if i.Op[0].Kind == interp.Immediate {
		a := getVec(m, i, &i.Op[1], n)
		setVec(m, i, &i.Op[2], pick(n, func(k int) int {
			return k&^3 + int(i.Op[0].Imm>>(k&3*2)&3)
		}, &a), n)
		return
	}
	a, x := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n)
	r := pick(n, func(k int) int { return int(x.V[k] % uint64(n)) }, &a)
	r.Secret = anySecret(n, a, x)
	setVec(m, i, &i.Op[2], r, n)
}

// pick returns the vector of n lanes in which lane k is lane index(k) of the vectors from. These
// have n lanes each; lanes n to 2·n − 1 are those of the second vector.
func pick(n int, index func(k int) int, from ...*vector) (r vector) {
	for k := range n {
		at := index(k)
		v := from[at/n]
		r.V[k] = v.V[at%n]
		r.Secret |= v.Secret >> (at % n) & 1 << k
	}
	return r
}

// perm2 runs VPERMI2Q, which selects each lane of the result from the lanes of two registers. The
// indices are in the destination.
func perm2(m *machine, i *inst) {
	n := i.Lanes
	hi, lo, x := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[2], n)
	r := pick(n, func(k int) int { return int(x.V[k] % uint64(2*n)) }, &lo, &hi)
	r.Secret = anySecret(n, hi, lo, x)
	setVec(m, i, &i.Op[2], r, n)
}

// shuffleDwords runs VPSHUFD, which selects lanes of 32 bits in every 128 bits.
func shuffleDwords(m *machine, i *inst) {
	n := i.Lanes
	a := getVec(m, i, &i.Op[1], n)
	r := vector{}
	for k := range 2 * n {
		at := k&^3 + int(i.Op[0].Imm>>(k&3*2)&3)
		r.V[k/2] |= lane(&a, at, 32) << (k & 1 * 32)
		r.Secret |= a.Secret >> (at / 2) & 1 << (k / 2)
	}
	setVec(m, i, &i.Op[2], r, n)
}

// shuffleBytes runs VPSHUFB, which selects bytes in every 128 bits, or 0 where the top bit of the
// selector is set.
func shuffleBytes(m *machine, i *inst) {
	n := i.Lanes
	x, a := getVec(m, i, &i.Op[0], n), getVec(m, i, &i.Op[1], n)
	r := vector{Secret: anySecret(n, x, a)}
	for k := range 8 * n {
		if by := lane(&x, k, 8); by < 0x80 {
			r.V[k/8] |= lane(&a, k&^15+int(by&15), 8) << (k & 7 * 8)
		}
	}
	setVec(m, i, &i.Op[2], r, n)
}

// broadcastBlock runs VBROADCASTI128, which repeats two lanes in memory.
func broadcastBlock(m *machine, i *inst) {
	a := getVec(m, i, &i.Op[0], 2)
	copy(a.V[2:4], a.V[:2])
	a.Secret |= a.Secret << 2
	setVec(m, i, &i.Op[1], a, 4)
}

// interleave returns the function for VPUNPCKLQDQ (lane is 0) or VPUNPCKHQDQ (lane is 1). In every
// 128 bits, the instruction takes the 64-bit lane with this index of both sources.
func interleave(lane int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n := i.Lanes
		a, b := getVec(m, i, &i.Op[1], n), getVec(m, i, &i.Op[0], n)
		r := vector{}
		for k := 0; k < n; k += 2 {
			r.V[k], r.V[k+1] = a.V[k+lane], b.V[k+lane]
			r.Secret |= a.Secret>>(k+lane)&1<<k | b.Secret>>(k+lane)&1<<(k+1)
		}
		setVec(m, i, &i.Op[2], r, n)
	}
}

// insert returns the function that inserts a block of lanes into a copy of a vector. block is the
// number of lanes in that block.
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

// vpinsrq runs VPINSRQ, which inserts a number into a copy of a vector of two lanes.
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

// permuteBlocks runs VPERM2I128. Each half of the result is one of the four halves of both sources,
// or 0.
func permuteBlocks(m *machine, i *inst) {
	b, a := getVec(m, i, &i.Op[1], 4), getVec(m, i, &i.Op[2], 4)
	r := vector{}
	for half := range 2 {
		control := i.Op[0].Imm >> (4 * half)
		from, at := &a, int(control&1)*2
		if control&2 != 0 {
			from = &b
		}
		if control&8 != 0 {
			from = &vector{}
		}
		copy(r.V[2*half:2*half+2], from.V[at:at+2])
		r.Secret |= from.Secret >> at & 3 << (2 * half)
	}
	setVec(m, i, &i.Op[3], r, 4)
}
