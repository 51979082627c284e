package interp

// A shifter shifts a value of so many bits by a count of at least one and at
// most the width minus one (for narrow operands, possibly more), and returns
// CF and OF; OF counts only for shifts by one.
type shifter func(width, count uint, a uint64) (r uint64, c, o bool)

func top(width uint, a uint64) bool { return a>>(width-1)&1 == 1 }

func shl(width, count uint, a uint64) (uint64, bool, bool) {
	r := a << count & widthMask(width)
	c := count <= width && a>>(width-count)&1 == 1
	return r, c, top(width, r) != c
}

func shr(width, count uint, a uint64) (uint64, bool, bool) {
	return a >> count, a>>(count-1)&1 == 1, top(width, a)
}

func sar(width, count uint, a uint64) (uint64, bool, bool) {
	s := signed(a, width)
	return uint64(s>>count) & widthMask(width), s>>(count-1)&1 == 1, false
}

func rol(width, count uint, a uint64) (uint64, bool, bool) {
	count %= width
	r := (a<<count | a>>(width-count)) & widthMask(width)
	return r, r&1 == 1, top(width, r) != (r&1 == 1)
}

func ror(width, count uint, a uint64) (uint64, bool, bool) {
	count %= width
	r := (a>>count | a<<(width-count)) & widthMask(width)
	return r, top(width, r), top(width, r) != top(width-1, r)
}

// count returns the number of bits to shift by, as the CPU masks it.
func (m *Machine) count(i *inst, o *operandOf) word {
	var n word
	if o.kind == isImm {
		n = word{v: o.imm}
	} else {
		if o.index != 1 {
			m.fault("the count is not in CL")
		}
		n = m.readReg(1, 0, 8)
	}
	if i.bits == 64 {
		n.v &= 63
	} else {
		n.v &= 31
	}
	return n
}

// shift is SHL, SHR, SAR, ROL and ROR. After a shift by a count in CL no flag
// is known: which of them change depends on the count.
func shift(f shifter, rotates bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n, a := m.count(i, &i.op[0]), m.get(i, &i.op[1])
		s := n.secret || a.secret
		r, c, o := a.v, false, false
		if n.v != 0 {
			r, c, o = f(i.bits, uint(n.v), a.v)
		}
		switch {
		case i.op[0].kind != isImm:
			m.forget(carry, parity, zero, sign, overflow)
		case n.v != 0:
			m.setFlag(carry, c, s)
			m.forget(overflow)
			if n.v == 1 {
				m.setFlag(overflow, o, s)
			}
			if !rotates {
				m.results(r, i.bits, s)
			}
			if n.v > uint64(i.bits) {
				m.forget(carry)
			}
		}
		m.set(i, &i.op[1], word{r, s})
	}
}

// either runs the form with two operands or that with three.
func either(two, three func(*Machine, *inst)) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		if len(i.op) == 3 {
			three(m, i)
		} else {
			two(m, i)
		}
	}
}

// double is the shift of a pair, of which the destination is the upper half
// (left) or the lower (right).
func double(left bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n, from, a := m.count(i, &i.op[0]), m.get(i, &i.op[1]), m.get(i, &i.op[2])
		if n.v > uint64(i.bits) {
			m.fault("shifts a pair by more than a half")
		}
		s := n.secret || from.secret || a.secret
		r, c := a.v, false
		if k := uint(n.v); k != 0 {
			if left {
				r = (a.v<<k | from.v>>(i.bits-k)) & widthMask(i.bits)
				c = a.v>>(i.bits-k)&1 == 1
			} else {
				r = (a.v>>k | from.v<<(i.bits-k)) & widthMask(i.bits)
				c = a.v>>(k-1)&1 == 1
			}
		}
		switch {
		case i.op[0].kind != isImm:
			m.forget(carry, parity, zero, sign, overflow)
		case n.v != 0:
			m.setFlag(carry, c, s)
			m.forget(overflow)
			if n.v == 1 {
				m.setFlag(overflow, top(i.bits, r) != top(i.bits, a.v), s)
			}
			m.results(r, i.bits, s)
		}
		m.set(i, &i.op[2], word{r, s})
	}
}

// shiftX is SHLX, SHRX, SARX and RORX, which touch no flag.
func shiftX(f shifter) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		n, a := m.getBits(&i.op[0], i.bits), m.get(i, &i.op[1])
		n.v &= uint64(i.bits - 1)
		r := a.v
		if n.v != 0 {
			r, _, _ = f(i.bits, uint(n.v), a.v)
		}
		m.set(i, &i.op[2], word{r, n.secret || a.secret})
	}
}

// rotateThroughCarry is RCL and RCR by one bit; by more bits it is slow, and
// nothing needs it.
func rotateThroughCarry(left bool) func(*Machine, *inst) {
	return func(m *Machine, i *inst) {
		if i.op[0].kind != isImm || i.op[0].imm != 1 {
			m.fault("a rotation through the carry by other than one bit")
		}
		a, c := m.get(i, &i.op[1]), m.getFlag(carry)
		s := a.secret || c.secret
		if left {
			r := (a.v<<1 | c.v) & widthMask(i.bits)
			m.setFlag(carry, top(i.bits, a.v), s)
			m.setFlag(overflow, top(i.bits, r) != top(i.bits, a.v), s)
			m.set(i, &i.op[1], word{r, s})
			return
		}
		r := a.v>>1 | c.v<<(i.bits-1)
		m.setFlag(carry, a.v&1 == 1, s)
		m.setFlag(overflow, top(i.bits, r) != top(i.bits-1, r), s)
		m.set(i, &i.op[1], word{r, s})
	}
}

// bextr takes a field of so many bits from a start: bytes 1 and 0 of the
// control operand.
func bextr(m *Machine, i *inst) {
	ctl, a := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	start, n := uint(ctl.v&0xff), uint(ctl.v>>8&0xff)
	r := a.v >> start
	if n < 64 {
		r &= 1<<n - 1
	}
	m.field(i, word{r, ctl.secret || a.secret})
	m.setFlag(carry, false, false)
	m.forget(sign)
}

// bzhi clears the bits from a number on.
func bzhi(m *Machine, i *inst) {
	n, a := m.get(i, &i.op[0]), m.get(i, &i.op[1])
	r := a.v
	if k := uint(n.v & 0xff); k < i.bits {
		r &= 1<<k - 1
	}
	s := n.secret || a.secret
	m.field(i, word{r, s})
	m.setFlag(carry, uint(n.v&0xff) > i.bits-1, s)
}

func (m *Machine) field(i *inst, r word) {
	m.results(r.v, i.bits, r.secret)
	m.setFlag(overflow, false, false)
	m.forget(parity)
	m.set(i, &i.op[2], r)
}
