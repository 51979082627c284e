package riscv64

// blockSteps is the number of division steps that a packed word has room for.
const blockSteps = 20

// Steps is the state of division steps on packed words: H and G stand for the words f = 2·H + 1 and
// g = −G, and Zeta is ζ. Package divsteps explains the packing.
type Steps struct{ H, G, Zeta Reg }

// DivisionStep returns the state s after one division step, in which f = 2·H + 1, g = −G, and δ =
// −ζ − 1/2 is the counter. Let p be all ones for δ > 0, and 0 otherwise. For an odd g, the new G is
//
//	−(g − f)/2 = ⌊G/2⌋ − ^H    for δ > 0
//	−(g + f)/2 = ⌊G/2⌋ − H     for δ ≤ 0
//
// If f and g are exchanged, the new H is half of the old g, which is H minus the new G.
func (m Machine) DivisionStep(s Steps) Steps {
	p := m.sign(s.Zeta)
	odd := m.sign(m.left(s.G, 63))
	g := m.sub(m.arithmetic(s.G, 1), m.and(m.xor(s.H, p), odd))
	swap := m.and(odd, p)
	return Steps{
		H: m.sub(s.H, m.and(g, swap)), G: g, Zeta: m.addi(m.xor(s.Zeta, swap), -1),
	}
}

// Pack returns the state from which twenty division steps on packed words start. f and g supply
// their low 20 bits, and zeta is ζ.
func (m Machine) Pack(f, g, zeta Reg) Steps {
	const above = 64 - blockSteps
	h := m.sub(m.right(m.left(f, above), above+1), m.power(2*blockSteps))
	low := m.right(m.left(g, above), above)
	return Steps{h, m.sub(m.power(3*blockSteps+2), low), zeta}
}

// A Matrix is the 2×2 matrix (u, v; q, r).
type Matrix [4]Reg

// Unpack returns the transition matrix of twenty division steps. s is the packed state after them.
func (m Machine) Unpack(s Steps) Matrix {
	h := m.add(s.H, m.power(blockSteps-1))
	g := m.sub(m.power(blockSteps), s.G)
	return Matrix{
		m.arithmetic(m.left(h, 23), 43), m.arithmetic(m.add(h, m.power(40)), 41),
		m.arithmetic(m.left(g, 22), 43), m.arithmetic(m.add(g, m.power(41)), 42),
	}
}

// Times returns the matrix product x·y. Registers of x and y may be reused for the result.
func (m Machine) Times(x, y Matrix) (z Matrix) {
	var products [4][2]Reg
	for i := range z {
		products[i] = [2]Reg{m.low(x[i&2], y[i&1]), m.low(x[i|1], y[i&1|2])}
	}
	for i, p := range products {
		z[i] = m.add(p[0], p[1])
	}
	return z
}

// Advance returns the low bits of f and g after twenty division steps with the transition matrix x.
// The results may reuse the registers of f and g.
func (m Machine) Advance(x Matrix, f, g Reg) (f2, g2 Reg) {
	f2 = m.add(m.low(x[0], f), m.low(x[1], g))
	g2 = m.add(m.low(x[2], f), m.low(x[3], g))
	return m.arithmetic(f2, blockSteps), m.arithmetic(g2, blockSteps)
}

// Left returns n = 64 − 4·batches: the caller must still divide the result by 2^n. The factor 2^64
// in the initial e contributes 64. Each batch divided by 2^64 where 60 division steps need 2^60,
// and so contributes −4.
func (m Machine) Left(batches Reg) Reg { return m.sub(m.addi(zero, 64), m.left(batches, 2)) }

// power returns a register with the value 2^n, for n ≤ 62.
func (m Machine) power(n int) Reg {
	if n >= 12 && n < 31 {
		r := m.virtual()
		m.LUI(1<<(n-12), r)
		return r
	}
	return m.left(m.addi(zero, 1), n)
}
