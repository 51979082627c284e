package interp

import "math/bits"

// results sets SF, ZF and PF from a result.
func (m *Machine) results(r uint64, width uint, isSecret bool) {
	r &= widthMask(width)
	m.setFlag(zero, r == 0, isSecret)
	m.setFlag(sign, r>>(width-1) == 1, isSecret)
	m.setFlag(parity, bits.OnesCount8(uint8(r))%2 == 0, isSecret)
}

// addition computes a + b + c, sets all flags and returns the sum.
func (m *Machine) addition(width uint, a, b, c word) word {
	s := a.secret || b.secret || c.secret
	mask := widthMask(width)
	sum, out := bits.Add64(a.v, b.v, c.v)
	if width < 64 {
		out = sum >> width & 1
		sum &= mask
	}
	m.setFlag(carry, out == 1, s)
	m.setFlag(overflow, (^(a.v^b.v)&(a.v^sum))>>(width-1)&1 == 1, s)
	m.results(sum, width, s)
	return word{sum, s}
}

// subtraction computes a - b - c, sets all flags and returns the difference.
func (m *Machine) subtraction(width uint, a, b, c word) word {
	s := a.secret || b.secret || c.secret
	diff, out := bits.Sub64(a.v, b.v, c.v)
	diff &= widthMask(width)
	m.setFlag(carry, out == 1, s)
	m.setFlag(overflow, ((a.v^b.v)&(a.v^diff))>>(width-1)&1 == 1, s)
	m.results(diff, width, s)
	return word{diff, s}
}

func add(m *Machine, i *inst) {
	src, dst := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	m.set(i, &i.op[1], m.addition(i.bits, dst, src, word{}))
}

func adc(m *Machine, i *inst) {
	src, dst := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	m.set(i, &i.op[1], m.addition(i.bits, dst, src, m.getFlag(carry)))
}

// twins returns both operands. A register with itself gives zero whatever it
// holds, for instructions in which the two cancel each other.
func (m *Machine) twins(i *inst) (a, b word) {
	if i.op[0].sameRegister(&i.op[1]) {
		return word{}, word{}
	}
	return m.get(i, &i.op[1]), m.get(i, &i.op[0])
}

func sub(m *Machine, i *inst) {
	a, b := m.twins(i)
	m.set(i, &i.op[1], m.subtraction(i.bits, a, b, word{}))
}

func sbb(m *Machine, i *inst) {
	a, b := m.twins(i)
	m.set(i, &i.op[1], m.subtraction(i.bits, a, b, m.getFlag(carry)))
}

// cmp has its operands the other way round in Go's assembler.
func cmp(m *Machine, i *inst) {
	m.subtraction(i.bits, m.get(i, &i.op[0]), m.get(i, &i.op[1]), word{})
}

// logical sets the flags as AND, OR and XOR do.
func (m *Machine) logical(width uint, r word) {
	m.setFlag(carry, false, false)
	m.setFlag(overflow, false, false)
	m.results(r.v, width, r.secret)
}

func logic(f func(a, b uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		a, b := m.get(i, &i.op[1]), m.get(i, &i.op[0])
		r := word{f(a.v, b.v), a.secret || b.secret}
		m.logical(i.bits, r)
		m.set(i, &i.op[1], r)
	}
}

func xor(m *Machine, i *inst) {
	a, b := m.twins(i)
	r := word{a.v ^ b.v, a.secret || b.secret}
	m.logical(i.bits, r)
	m.set(i, &i.op[1], r)
}

func test(m *Machine, i *inst) {
	a, b := m.get(i, &i.op[1]), m.get(i, &i.op[0])
	m.logical(i.bits, word{a.v & b.v, a.secret || b.secret})
}

func andn(m *Machine, i *inst) {
	a, b := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	r := word{a.v &^ b.v, a.secret || b.secret}
	m.logical(i.bits, r)
	m.forget(parity)
	m.set(i, &i.op[2], r)
}

func neg(m *Machine, i *inst) {
	m.set(i, &i.op[0], m.subtraction(i.bits, word{}, m.get(i, &i.op[0]), word{}))
}

func not(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.set(i, &i.op[0], word{^a.v & widthMask(i.bits), a.secret})
}

// increment adds 1 or -1 and leaves the carry flag alone.
func increment(by uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		before := m.flag[carry]
		m.set(i, &i.op[0], m.addition(i.bits, m.get(i, &i.op[0]), word{v: by & widthMask(i.bits)}, word{}))
		m.flag[carry] = before
	}
}

// chain adds with one flag as the carry, and touches no other.
func chain(f int) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		a, b, c := m.get(i, &i.op[1]), m.get(i, &i.op[0]), m.getFlag(f)
		s := a.secret || b.secret || c.secret
		sum, out := bits.Add64(a.v, b.v, c.v)
		if i.bits < 64 {
			out = sum >> i.bits & 1
			sum &= widthMask(i.bits)
		}
		m.setFlag(f, out == 1, s)
		m.set(i, &i.op[1], word{sum, s})
	}
}

// wide returns the halves of a product.
func wide(width uint, a, b uint64) (hi, lo uint64) {
	if width == 64 {
		return bits.Mul64(a, b)
	}
	p := a * b
	return p >> width, p & widthMask(width)
}

// wideSigned returns the halves of a signed product.
func wideSigned(width uint, a, b uint64) (hi, lo uint64) {
	x, y := signed(a, width), signed(b, width)
	if width < 64 {
		p := uint64(x * y)
		return p >> width & widthMask(width), p & widthMask(width)
	}
	hi, lo = bits.Mul64(a, b)
	if x < 0 {
		hi -= b
	}
	if y < 0 {
		hi -= a
	}
	return hi, lo
}

func signed(x uint64, width uint) int64 { return int64(x<<(64-width)) >> (64 - width) }

func mulx(m *Machine, i *inst) {
	a, d := m.get(i, &i.op[0]), m.readReg(2, 0, i.bits)
	hi, lo := wide(i.bits, a.v, d.v)
	s := a.secret || d.secret
	m.set(i, &i.op[1], word{lo, s})
	m.set(i, &i.op[2], word{hi, s})
}

// product sets what a multiplication defines of the flags: CF and OF say
// whether the upper half is needed.
func (m *Machine) product(needed, isSecret bool) {
	m.setFlag(carry, needed, isSecret)
	m.setFlag(overflow, needed, isSecret)
	m.forget(sign, zero, parity)
}

func mul(m *Machine, i *inst) {
	a, d := m.get(i, &i.op[0]), m.readReg(0, 0, i.bits)
	hi, lo := wide(i.bits, a.v, d.v)
	s := a.secret || d.secret
	m.product(hi != 0, s)
	m.writeReg(0, 0, i.bits, word{lo, s})
	m.writeReg(2, 0, i.bits, word{hi, s})
}

func (m *Machine) signedProduct(width uint, a, b word) (hi, lo word) {
	h, l := wideSigned(width, a.v, b.v)
	s := a.secret || b.secret
	m.product(h != uint64(signed(l, width)>>63)&widthMask(width), s)
	return word{h, s}, word{l, s}
}

func imul(m *Machine, i *inst) {
	if len(i.op) == 1 {
		hi, lo := m.signedProduct(i.bits, m.get(i, &i.op[0]), m.readReg(0, 0, i.bits))
		m.writeReg(0, 0, i.bits, lo)
		m.writeReg(2, 0, i.bits, hi)
		return
	}
	_, lo := m.signedProduct(i.bits, m.get(i, &i.op[1]), m.get(i, &i.op[0]))
	m.set(i, &i.op[1], lo)
}

func imul3(m *Machine, i *inst) {
	_, lo := m.signedProduct(i.bits, m.get(i, &i.op[1]), m.get(i, &i.op[0]))
	m.set(i, &i.op[2], lo)
}

func mov(m *Machine, i *inst) {
	if i.op[0].kind == isVec || i.op[1].kind == isVec {
		moveLow(m, i)
		return
	}
	m.set(i, &i.op[1], m.get(i, &i.op[0]))
}

func extend(from uint, isSigned bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		a := m.getBits(&i.op[0], from)
		if isSigned {
			a.v = uint64(signed(a.v, from)) & widthMask(i.bits)
		}
		m.set(i, &i.op[1], a)
	}
}

func xchg(m *Machine, i *inst) {
	a, b := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	m.set(i, &i.op[0], b)
	m.set(i, &i.op[1], a)
}

func moveIf(m *Machine, i *inst) {
	yes, s := m.holds(i.cond)
	a, b := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	r := word{b.v, a.secret || b.secret || s}
	if yes {
		r.v = a.v
	}
	m.set(i, &i.op[1], r)
}

func setIf(m *Machine, i *inst) {
	yes, s := m.holds(i.cond)
	r := word{secret: s}
	if yes {
		r.v = 1
	}
	m.set(i, &i.op[0], r)
}

func setCarry(f func(c uint64) uint64, reads bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		var c word
		if reads {
			c = m.getFlag(carry)
		}
		m.setFlag(carry, f(c.v) == 1, c.secret)
	}
}

// bitTest copies a bit to CF, and changes it if there is a function for that. A
// memory operand with the bit's number in a
// register would reach beyond the operand, and is refused.
func bitTest(f func(x, bit uint64) uint64) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		if i.op[1].kind == isMem && i.op[0].kind != isImm {
			m.fault("the bit's number may lead outside the operand")
		}
		n, a := m.get(i, &i.op[0]), m.get(i, &i.op[1])
		bit := uint64(1) << (n.v % uint64(i.bits))
		s := n.secret || a.secret
		m.setFlag(carry, a.v&bit != 0, s)
		m.forget(overflow, sign, parity)
		if f != nil {
			m.set(i, &i.op[1], word{f(a.v, bit), s})
		}
	}
}

func bswap(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.set(i, &i.op[0], word{bits.ReverseBytes64(a.v) >> (64 - i.bits), a.secret})
}

func lea(m *Machine, i *inst) {
	o := &i.op[0]
	if o.kind != isMem {
		m.fault("no memory operand")
	}
	// The address is data here: it may depend on secrets, and need not lie
	// within a region.
	var a word
	switch o.base {
	case baseFrame:
		a.v = m.frame.base
	case baseArgs:
		a.v = m.args.base
	case baseStatic:
		a.v = m.statics[o.static].base
		m.reg[r15].defined = 0
	default:
		a = m.readReg(o.base, 0, 64)
	}
	if o.indexReg >= 0 {
		x := m.readReg(o.indexReg, 0, 64)
		a = word{a.v + x.v*o.scale, a.secret || x.secret}
	}
	m.set(i, &i.op[1], word{(a.v + o.disp) & widthMask(i.bits), a.secret})
}

func prefetch(m *Machine, i *inst) { m.Prefetched = append(m.Prefetched, m.address(&i.op[0])) }

// lowestBit is the shape of BLSR, BLSI and BLSMSK.
func (m *Machine) lowestBit(i *inst, r uint64, a word, c bool) {
	r &= widthMask(i.bits)
	m.results(r, i.bits, a.secret)
	m.setFlag(carry, c, a.secret)
	m.setFlag(overflow, false, false)
	m.forget(parity)
	m.set(i, &i.op[1], word{r, a.secret})
}

func blsr(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.lowestBit(i, a.v&(a.v-1), a, a.v == 0)
}

func blsi(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.lowestBit(i, a.v&-a.v, a, a.v != 0)
}

func blsmsk(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.lowestBit(i, a.v^(a.v-1), a, a.v == 0)
	m.setFlag(zero, false, false)
}

// counted sets the flags of TZCNT and LZCNT.
func (m *Machine) counted(i *inst, n int, a word) {
	m.setFlag(carry, a.v == 0, a.secret)
	m.setFlag(zero, n == 0, a.secret)
	m.forget(overflow, sign, parity)
	m.set(i, &i.op[1], word{uint64(n), a.secret})
}

func tzcnt(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.counted(i, min(bits.TrailingZeros64(a.v), int(i.bits)), a)
}

func lzcnt(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.counted(i, bits.LeadingZeros64(a.v)-(64-int(i.bits)), a)
}

func popcnt(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	r := word{uint64(bits.OnesCount64(a.v)), a.secret}
	for _, f := range []int{carry, parity, sign, overflow} {
		m.setFlag(f, false, false)
	}
	m.setFlag(zero, a.v == 0, a.secret)
	m.set(i, &i.op[1], r)
}

// scanned is the shape of BSF and BSR, which have no result for zero.
func (m *Machine) scanned(i *inst, n int, a word) {
	m.setFlag(zero, a.v == 0, a.secret)
	m.forget(carry, overflow, sign, parity)
	if a.v == 0 {
		m.reg[i.op[1].index].defined = 0
		return
	}
	m.set(i, &i.op[1], word{uint64(n), a.secret})
}

func bsf(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.scanned(i, bits.TrailingZeros64(a.v), a)
}

func bsr(m *Machine, i *inst) {
	a := m.get(i, &i.op[0])
	m.scanned(i, 63-bits.LeadingZeros64(a.v), a)
}

func div(m *Machine, i *inst) {
	d, lo, hi := m.get(i, &i.op[0]), m.readReg(0, 0, i.bits), m.readReg(2, 0, i.bits)
	if hi.v >= d.v {
		m.fault("the quotient does not fit")
	}
	s := d.secret || lo.secret || hi.secret
	var q, r uint64
	if i.bits == 64 {
		q, r = bits.Div64(hi.v, lo.v, d.v)
	} else {
		n := hi.v<<i.bits | lo.v
		q, r = n/d.v, n%d.v
	}
	m.writeReg(0, 0, i.bits, word{q, s})
	m.writeReg(2, 0, i.bits, word{r, s})
	m.forget(carry, parity, zero, sign, overflow)
}

func pdep(m *Machine, i *inst) {
	sel, a := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	var r uint64
	for k, left := 0, sel.v; left != 0; k, left = k+1, left&(left-1) {
		if a.v>>k&1 == 1 {
			r |= left & -left
		}
	}
	m.set(i, &i.op[2], word{r, sel.secret || a.secret})
}

func pext(m *Machine, i *inst) {
	sel, a := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	var r uint64
	for k, left := 0, sel.v; left != 0; k, left = k+1, left&(left-1) {
		if a.v&(left&-left) != 0 {
			r |= 1 << k
		}
	}
	m.set(i, &i.op[2], word{r, sel.secret || a.secret})
}
