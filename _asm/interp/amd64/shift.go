package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// A shifter shifts the value a, of width bits, by count ≥ 1. For 32- and 64-bit operands count is
// below the width; for narrow operands it may exceed the width. A shifter returns the result, CF
// and OF. OF is meaningful only for shifts by one.
type shifter func(width, count uint, a uint64) (r uint64, c, o bool)

func top(width uint, a uint64) bool { return a>>(width-1)&1 == 1 }

func shl(width, count uint, a uint64) (uint64, bool, bool) {
	r := a << count & interp.WidthMask(width)
	c := count <= width && a>>(width-count)&1 == 1
	return r, c, top(width, r) != c
}

func shr(width, count uint, a uint64) (uint64, bool, bool) {
	return a >> count, a>>(count-1)&1 == 1, top(width, a)
}

func sar(width, count uint, a uint64) (uint64, bool, bool) {
	s := signed(a, width)
	return uint64(s>>count) & interp.WidthMask(width), s>>(count-1)&1 == 1, false
}

func rol(width, count uint, a uint64) (uint64, bool, bool) {
	count %= width
	r := (a<<count | a>>(width-count)) & interp.WidthMask(width)
	return r, r&1 == 1, top(width, r) != (r&1 == 1)
}

func ror(width, count uint, a uint64) (uint64, bool, bool) {
	count %= width
	r := (a>>count | a<<(width-count)) & interp.WidthMask(width)
	return r, top(width, r), top(width, r) != top(width-1, r)
}

// count returns the shift count in operand o, reduced as the CPU reduces it (modulo 32 or 64).
func count(m *machine, i *inst, o *operand) word {
	var n word
	if o.Kind == interp.Immediate {
		n = word{V: o.Imm}
	} else {
		if o.Index != 1 {
			m.Fault("the count is not in CL")
		}
		n = m.ReadReg(1, 0, 8)
	}
	if i.Bits == 64 {
		n.V &= 63
	} else {
		n.V &= 31
	}
	return n
}

// shift returns the function for SHL, SHR, SAR, ROL or ROR. After a shift by CL no flag holds a
// value, because the value of CL determines which flags change.
func shift(f shifter, rotates bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, a := count(m, i, &i.Op[0]), m.Get(i, &i.Op[1])
		s := n.Secret || a.Secret
		r, c, o := a.V, false, false
		if n.V != 0 {
			r, c, o = f(i.Bits, uint(n.V), a.V)
		}
		switch {
		case i.Op[0].Kind != interp.Immediate:
			m.Forget(carry, parity, zero, sign, overflow)
		case n.V != 0:
			m.SetFlag(carry, c, s)
			m.Forget(overflow)
			if n.V == 1 {
				m.SetFlag(overflow, o, s)
			}
			if !rotates {
				setResult(m, r, i.Bits, s)
			}
			if n.V > uint64(i.Bits) {
				m.Forget(carry)
			}
		}
		m.Set(i, &i.Op[1], value(r, s))
	}
}

// either returns a function that runs two if the instruction has two operands, and three if it has
// three.
func either(two, three func(*machine, *inst)) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		if len(i.Op) == 3 {
			three(m, i)
		} else {
			two(m, i)
		}
	}
}

// double returns the function for SHLD (if left is set) or SHRD, which shift the concatenation of
// two operands. The destination is the upper half of that (SHLD) or the lower half (SHRD).
func double(left bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, from, a := count(m, i, &i.Op[0]), m.Get(i, &i.Op[1]), m.Get(i, &i.Op[2])
		if n.V > uint64(i.Bits) {
			m.Fault("shifts a pair by more than a half")
		}
		s := n.Secret || from.Secret || a.Secret
		r, c := a.V, false
		if k := uint(n.V); k != 0 {
			if left {
				r = (a.V<<k | from.V>>(i.Bits-k)) & interp.WidthMask(i.Bits)
				c = a.V>>(i.Bits-k)&1 == 1
			} else {
				r = (a.V>>k | from.V<<(i.Bits-k)) & interp.WidthMask(i.Bits)
				c = a.V>>(k-1)&1 == 1
			}
		}
		switch {
		case i.Op[0].Kind != interp.Immediate:
			m.Forget(carry, parity, zero, sign, overflow)
		case n.V != 0:
			m.SetFlag(carry, c, s)
			m.Forget(overflow)
			if n.V == 1 {
				m.SetFlag(overflow, top(i.Bits, r) != top(i.Bits, a.V), s)
			}
			setResult(m, r, i.Bits, s)
		}
		m.Set(i, &i.Op[2], value(r, s))
	}
}

// shiftX returns the function for SHLX, SHRX, SARX or RORX, which change no flag.
func shiftX(f shifter) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, a := m.GetBits(&i.Op[0], i.Bits), m.Get(i, &i.Op[1])
		n.V &= uint64(i.Bits - 1)
		r := a.V
		if n.V != 0 {
			r, _, _ = f(i.Bits, uint(n.V), a.V)
		}
		m.Set(i, &i.Op[2], value(r, n.Secret || a.Secret))
	}
}

// rotateThroughCarry returns the function for RCL (if left is set) or RCR, by one bit. Rotations by
// more bits are slow, and no kernel uses them.
func rotateThroughCarry(left bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		if i.Op[0].Kind != interp.Immediate || i.Op[0].Imm != 1 {
			m.Fault("a rotation through the carry by other than one bit")
		}
		a, c := m.Get(i, &i.Op[1]), m.GetFlag(carry)
		s := a.Secret || c.Secret
		if left {
			r := (a.V<<1 | c.V) & interp.WidthMask(i.Bits)
			m.SetFlag(carry, top(i.Bits, a.V), s)
			m.SetFlag(overflow, top(i.Bits, r) != top(i.Bits, a.V), s)
			m.Set(i, &i.Op[1], value(r, s))
			return
		}
		r := a.V>>1 | c.V<<(i.Bits-1)
		m.SetFlag(carry, a.V&1 == 1, s)
		m.SetFlag(overflow, top(i.Bits, r) != top(i.Bits-1, r), s)
		m.Set(i, &i.Op[1], value(r, s))
	}
}

// bextr runs BEXTR, which extracts a field of bits from a value. Byte 0 of the control operand is
// the first bit of the field, and byte 1 its length.
func bextr(m *machine, i *inst) {
	ctl, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	start, n := uint(ctl.V&0xff), uint(ctl.V>>8&0xff)
	r := a.V >> start
	if n < 64 {
		r &= 1<<n - 1
	}
	field(m, i, value(r, ctl.Secret || a.Secret))
	m.SetFlag(carry, false, false)
	m.Forget(sign)
}

// bzhi runs BZHI, which clears the bits of a value from a given bit number up.
func bzhi(m *machine, i *inst) {
	n, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	r := a.V
	if k := uint(n.V & 0xff); k < i.Bits {
		r &= 1<<k - 1
	}
	s := n.Secret || a.Secret
	field(m, i, value(r, s))
	m.SetFlag(carry, uint(n.V&0xff) > i.Bits-1, s)
}

func field(m *machine, i *inst, r word) {
	setResult(m, r.V, i.Bits, r.Secret)
	m.SetFlag(overflow, false, false)
	m.Forget(parity)
	m.Set(i, &i.Op[2], r)
}
