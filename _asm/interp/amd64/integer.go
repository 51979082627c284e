package amd64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// setResult sets the flags SF, ZF and PF from the result r of the given width.
func setResult(m *machine, r uint64, width uint, isSecret bool) {
	r &= interp.WidthMask(width)
	m.SetFlag(zero, r == 0, isSecret)
	m.SetFlag(sign, r>>(width-1) == 1, isSecret)
	m.SetFlag(parity, bits.OnesCount8(uint8(r))%2 == 0, isSecret)
}

// addition computes a + b + c, sets all flags and returns the sum. c is the carry in.
func addition(m *machine, width uint, a, b, c word) word {
	s := a.Secret || b.Secret || c.Secret
	mask := interp.WidthMask(width)
	sum, out := bits.Add64(a.V, b.V, c.V)
	if width < 64 {
		out = sum >> width & 1
		sum &= mask
	}
	m.SetFlag(carry, out == 1, s)
	m.SetFlag(overflow, (^(a.V^b.V)&(a.V^sum))>>(width-1)&1 == 1, s)
	setResult(m, sum, width, s)
	return value(sum, s)
}

// subtraction computes a - b - c, sets all flags and returns the difference. c is the borrow in.
func subtraction(m *machine, width uint, a, b, c word) word {
	s := a.Secret || b.Secret || c.Secret
	diff, out := bits.Sub64(a.V, b.V, c.V)
	diff &= interp.WidthMask(width)
	m.SetFlag(carry, out == 1, s)
	m.SetFlag(overflow, ((a.V^b.V)&(a.V^diff))>>(width-1)&1 == 1, s)
	setResult(m, diff, width, s)
	return value(diff, s)
}

// operands returns the second and the first operand of the instruction i, the first and the second
// source in the order of Intel's manuals. If cancels is set and they are the same register, it
// returns public zeros, even if the register holds no value.
func operands(m *machine, i *inst, cancels bool) (a, b word) {
	if cancels && i.Op[0].Same(&i.Op[1]) {
		return word{}, word{}
	}
	return m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0])
}

// sum returns the function for ADD and ADC, if f is addition, or SUB and SBB, if it is subtraction.
// If chained is set, the instruction also adds or subtracts CF.
func sum(
	f func(m *machine, width uint, a, b, c word) word, chained, cancels bool,
) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b := operands(m, i, cancels)
		c := word{}
		if chained {
			c = m.GetFlag(carry)
		}
		m.Set(i, &i.Op[1], f(m, i.Bits, a, b, c))
	}
}

// cmp runs CMP, whose operands Go's assembler writes in the opposite order to other instructions.
func cmp(m *machine, i *inst) {
	subtraction(m, i.Bits, m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1]), word{})
}

// logical sets the flags as AND, OR and XOR do, for the result r.
func logical(m *machine, width uint, r word) {
	m.SetFlag(carry, false, false)
	m.SetFlag(overflow, false, false)
	setResult(m, r.V, width, r.Secret)
}

// logic returns the function for AND, OR and XOR, and for TEST, which writes no result.
func logic(f func(a, b uint64) uint64, cancels, writes bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b := operands(m, i, cancels)
		r := value(f(a.V, b.V), a.Secret || b.Secret)
		logical(m, i.Bits, r)
		if writes {
			m.Set(i, &i.Op[1], r)
		}
	}
}

func and(a, b uint64) uint64 { return a & b }
func or(a, b uint64) uint64  { return a | b }
func xor(a, b uint64) uint64 { return a ^ b }

func andn(m *machine, i *inst) {
	a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	r := value(a.V&^b.V, a.Secret || b.Secret)
	logical(m, i.Bits, r)
	m.Forget(parity)
	m.Set(i, &i.Op[2], r)
}

func neg(m *machine, i *inst) {
	m.Set(i, &i.Op[0], subtraction(m, i.Bits, word{}, m.Get(i, &i.Op[0]), word{}))
}

func not(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	m.Set(i, &i.Op[0], value(^a.V&interp.WidthMask(i.Bits), a.Secret))
}

// increment returns the function for INC or DEC: it adds delta, which is 1 or -1, and keeps CF.
func increment(delta uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		before := m.Flag[carry]
		a, b := m.Get(i, &i.Op[0]), word{V: delta & interp.WidthMask(i.Bits)}
		m.Set(i, &i.Op[0], addition(m, i.Bits, a, b, word{}))
		m.Flag[carry] = before
	}
}

// chain returns the function for ADCXQ or ADOXQ: it adds with flag f as the carry in and out, and
// changes no other flag.
func chain(f int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b, c := m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0]), m.GetFlag(f)
		s := a.Secret || b.Secret || c.Secret
		sum, out := bits.Add64(a.V, b.V, c.V)
		m.SetFlag(f, out == 1, s)
		m.Set(i, &i.Op[1], value(sum, s))
	}
}

func mulx(m *machine, i *inst) {
	a, d := m.Get(i, &i.Op[0]), m.ReadReg(rdx, 0, 64)
	hi, lo := bits.Mul64(a.V, d.V)
	s := a.Secret || d.Secret
	m.Set(i, &i.Op[1], value(lo, s))
	m.Set(i, &i.Op[2], value(hi, s))
}

// signedProduct returns the high and low half of the signed product a·b. It sets the flags that
// IMULQ defines: CF and OF say whether the product needs its upper half. The other flags then hold
// no value.
func signedProduct(m *machine, a, b word) (hi, lo word) {
	h, l := bits.Mul64(a.V, b.V)
	h -= uint64(int64(a.V)>>63)&b.V + uint64(int64(b.V)>>63)&a.V
	needed, s := h != uint64(int64(l)>>63), a.Secret || b.Secret
	m.SetFlag(carry, needed, s)
	m.SetFlag(overflow, needed, s)
	m.Forget(sign, zero, parity)
	return value(h, s), value(l, s)
}

// imul runs IMULQ with one, two or three operands. With one, the product is in DX:AX.
func imul(m *machine, i *inst) {
	if len(i.Op) == 1 {
		hi, lo := signedProduct(m, m.Get(i, &i.Op[0]), m.ReadReg(rax, 0, 64))
		m.WriteReg(rax, 0, 64, lo)
		m.WriteReg(rdx, 0, 64, hi)
		return
	}
	_, lo := signedProduct(m, m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0]))
	m.Set(i, &i.Op[len(i.Op)-1], lo)
}

func mov(m *machine, i *inst) { m.Set(i, &i.Op[1], m.Get(i, &i.Op[0])) }

// moveZero returns the function for a move that zero-extends a number of the given width.
func moveZero(from uint) func(*machine, *inst) {
	return func(m *machine, i *inst) { m.Set(i, &i.Op[1], m.GetBits(&i.Op[0], from)) }
}

func moveIf(c *interp.Condition) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		yes, s := m.Holds(c)
		a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		r := value(b.V, a.Secret || b.Secret || s)
		if yes {
			r.V = a.V
		}
		m.Set(i, &i.Op[1], r)
	}
}

func setIf(c *interp.Condition) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		yes, s := m.Holds(c)
		r := word{Secret: s}
		if yes {
			r.V = 1
		}
		m.Set(i, &i.Op[0], r)
	}
}

func lea(m *machine, i *inst) {
	o := &i.Op[0]
	if o.Kind != interp.Memory {
		m.Fault("no memory operand")
	}
	// LEA computes an address without accessing memory. So the address may depend on secrets, and
	// need not be within a region.
	m.Set(i, &i.Op[1], m.Effective(o))
}

func tzcnt(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	n := bits.TrailingZeros64(a.V)
	m.SetFlag(carry, a.V == 0, a.Secret)
	m.SetFlag(zero, n == 0, a.Secret)
	m.Forget(overflow, sign, parity)
	m.Set(i, &i.Op[1], value(uint64(n), a.Secret))
}

func popcnt(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	r := value(uint64(bits.OnesCount64(a.V)), a.Secret)
	for _, f := range []int{carry, parity, sign, overflow} {
		m.SetFlag(f, false, false)
	}
	m.SetFlag(zero, a.V == 0, a.Secret)
	m.Set(i, &i.Op[1], r)
}

// bsr runs BSRQ. For the source 0, the result is undefined.
func bsr(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	m.SetFlag(zero, a.V == 0, a.Secret)
	m.Forget(carry, overflow, sign, parity)
	if a.V == 0 {
		m.Reg[i.Op[1].Index].Defined = 0
		return
	}
	m.Set(i, &i.Op[1], value(uint64(bits.Len64(a.V)-1), a.Secret))
}

// bzhi runs BZHIQ, which clears the bits of a value from a given bit number up.
func bzhi(m *machine, i *inst) {
	n, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	r := value(a.V&interp.WidthMask(uint(n.V&0xff)), n.Secret || a.Secret)
	setResult(m, r.V, 64, r.Secret)
	m.SetFlag(carry, n.V&0xff > 63, r.Secret)
	m.SetFlag(overflow, false, false)
	m.Forget(parity)
	m.Set(i, &i.Op[2], r)
}
