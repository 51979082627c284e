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

func add(m *machine, i *inst) {
	src, dst := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	m.Set(i, &i.Op[1], addition(m, i.Bits, dst, src, word{}))
}

func adc(m *machine, i *inst) {
	src, dst := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	m.Set(i, &i.Op[1], addition(m, i.Bits, dst, src, m.GetFlag(carry)))
}

// twins returns both operands of an instruction in which equal operands cancel, such as XOR. If
// both are the same register, it returns public zeros, even if the register holds no value.
func twins(m *machine, i *inst) (a, b word) {
	if i.Op[0].Same(&i.Op[1]) {
		return word{}, word{}
	}
	return m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0])
}

func sub(m *machine, i *inst) {
	a, b := twins(m, i)
	m.Set(i, &i.Op[1], subtraction(m, i.Bits, a, b, word{}))
}

func sbb(m *machine, i *inst) {
	a, b := twins(m, i)
	m.Set(i, &i.Op[1], subtraction(m, i.Bits, a, b, m.GetFlag(carry)))
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

func logic(f func(a, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b := m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0])
		r := value(f(a.V, b.V), a.Secret || b.Secret)
		logical(m, i.Bits, r)
		m.Set(i, &i.Op[1], r)
	}
}

func xor(m *machine, i *inst) {
	a, b := twins(m, i)
	r := value(a.V^b.V, a.Secret || b.Secret)
	logical(m, i.Bits, r)
	m.Set(i, &i.Op[1], r)
}

func test(m *machine, i *inst) {
	a, b := m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0])
	logical(m, i.Bits, value(a.V&b.V, a.Secret || b.Secret))
}

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

// increment returns the function for INC or DEC: it adds by, which is 1 or -1, and keeps CF.
func increment(by uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		before := m.Flag[carry]
		a, b := m.Get(i, &i.Op[0]), word{V: by & interp.WidthMask(i.Bits)}
		m.Set(i, &i.Op[0], addition(m, i.Bits, a, b, word{}))
		m.Flag[carry] = before
	}
}

// chain returns the function for ADCX or ADOX: it adds with flag f as the carry in and out, and
// changes no other flag.
func chain(f int) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b, c := m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0]), m.GetFlag(f)
		s := a.Secret || b.Secret || c.Secret
		sum, out := bits.Add64(a.V, b.V, c.V)
		if i.Bits < 64 {
			out = sum >> i.Bits & 1
			sum &= interp.WidthMask(i.Bits)
		}
		m.SetFlag(f, out == 1, s)
		m.Set(i, &i.Op[1], value(sum, s))
	}
}

// wide returns the high and low half of the unsigned product a·b.
func wide(width uint, a, b uint64) (hi, lo uint64) {
	if width == 64 {
		return bits.Mul64(a, b)
	}
	p := a * b
	return p >> width, p & interp.WidthMask(width)
}

// wideSigned returns the high and low half of the signed product a·b.
func wideSigned(width uint, a, b uint64) (hi, lo uint64) {
	x, y := signed(a, width), signed(b, width)
	if width < 64 {
		p := uint64(x * y)
		return p >> width & interp.WidthMask(width), p & interp.WidthMask(width)
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

func mulx(m *machine, i *inst) {
	a, d := m.Get(i, &i.Op[0]), m.ReadReg(2, 0, i.Bits)
	hi, lo := wide(i.Bits, a.V, d.V)
	s := a.Secret || d.Secret
	m.Set(i, &i.Op[1], value(lo, s))
	m.Set(i, &i.Op[2], value(hi, s))
}

// product sets the flags that a multiplication defines: CF and OF say whether the product needs its
// upper half. The other flags then hold no value.
func product(m *machine, needed, isSecret bool) {
	m.SetFlag(carry, needed, isSecret)
	m.SetFlag(overflow, needed, isSecret)
	m.Forget(sign, zero, parity)
}

func mul(m *machine, i *inst) {
	a, d := m.Get(i, &i.Op[0]), m.ReadReg(0, 0, i.Bits)
	hi, lo := wide(i.Bits, a.V, d.V)
	s := a.Secret || d.Secret
	product(m, hi != 0, s)
	m.WriteReg(0, 0, i.Bits, value(lo, s))
	m.WriteReg(2, 0, i.Bits, value(hi, s))
}

func signedProduct(m *machine, width uint, a, b word) (hi, lo word) {
	h, l := wideSigned(width, a.V, b.V)
	s := a.Secret || b.Secret
	product(m, h != uint64(signed(l, width)>>63)&interp.WidthMask(width), s)
	return value(h, s), value(l, s)
}

func imul(m *machine, i *inst) {
	if len(i.Op) == 1 {
		hi, lo := signedProduct(m, i.Bits, m.Get(i, &i.Op[0]), m.ReadReg(0, 0, i.Bits))
		m.WriteReg(0, 0, i.Bits, lo)
		m.WriteReg(2, 0, i.Bits, hi)
		return
	}
	_, lo := signedProduct(m, i.Bits, m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0]))
	m.Set(i, &i.Op[1], lo)
}

func imul3(m *machine, i *inst) {
	_, lo := signedProduct(m, i.Bits, m.Get(i, &i.Op[1]), m.Get(i, &i.Op[0]))
	m.Set(i, &i.Op[2], lo)
}

func mov(m *machine, i *inst) {
	if i.Op[0].Kind == interp.Vec || i.Op[1].Kind == interp.Vec {
		moveLow(m, i)
		return
	}
	m.Set(i, &i.Op[1], m.Get(i, &i.Op[0]))
}

func extend(from uint, isSigned bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a := m.GetBits(&i.Op[0], from)
		if isSigned {
			a.V = uint64(signed(a.V, from)) & interp.WidthMask(i.Bits)
		}
		m.Set(i, &i.Op[1], a)
	}
}

func xchg(m *machine, i *inst) {
	a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	m.Set(i, &i.Op[0], b)
	m.Set(i, &i.Op[1], a)
}

func moveIf(c *condition) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		yes, s := c.holds(m)
		a, b := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		r := value(b.V, a.Secret || b.Secret || s)
		if yes {
			r.V = a.V
		}
		m.Set(i, &i.Op[1], r)
	}
}

func setIf(c *condition) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		yes, s := c.holds(m)
		r := word{Secret: s}
		if yes {
			r.V = 1
		}
		m.Set(i, &i.Op[0], r)
	}
}

func setCarry(f func(c uint64) uint64, reads bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		var c word
		if reads {
			c = m.GetFlag(carry)
		}
		m.SetFlag(carry, f(c.V) == 1, c.Secret)
	}
}

// bitTest returns the function for BT and similar instructions: it copies a bit to CF, and then, if
// f is not nil, replaces the bit by f's result. It refuses a bit number in a register together with
// a memory operand, because that instruction accesses memory outside the operand.
func bitTest(f func(x, bit uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		if i.Op[1].Kind == interp.Memory && i.Op[0].Kind != interp.Immediate {
			m.Fault("the bit's number may lead outside the operand")
		}
		n, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		bit := uint64(1) << (n.V % uint64(i.Bits))
		s := n.Secret || a.Secret
		m.SetFlag(carry, a.V&bit != 0, s)
		m.Forget(overflow, sign, parity)
		if f != nil {
			m.Set(i, &i.Op[1], value(f(a.V, bit), s))
		}
	}
}

func bswap(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	m.Set(i, &i.Op[0], value(bits.ReverseBytes64(a.V)>>(64-i.Bits), a.Secret))
}

func lea(m *machine, i *inst) {
	o := &i.Op[0]
	if o.Kind != interp.Memory {
		m.Fault("no memory operand")
	}
	// LEA computes an address without accessing memory. So the address may depend on secrets, and
	// need not be within a region.
	a := m.Effective(o)
	m.Set(i, &i.Op[1], value(a.V&interp.WidthMask(i.Bits), a.Secret))
}

func prefetch(m *machine, i *inst) { m.Prefetch(&i.Op[0]) }

// lowestBit sets the result r and the flags of BLSR, BLSI and BLSMSK. c is the carry out.
func lowestBit(m *machine, i *inst, r uint64, a word, c bool) {
	r &= interp.WidthMask(i.Bits)
	setResult(m, r, i.Bits, a.Secret)
	m.SetFlag(carry, c, a.Secret)
	m.SetFlag(overflow, false, false)
	m.Forget(parity)
	m.Set(i, &i.Op[1], value(r, a.Secret))
}

func blsr(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	lowestBit(m, i, a.V&(a.V-1), a, a.V == 0)
}

func blsi(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	lowestBit(m, i, a.V&-a.V, a, a.V != 0)
}

func blsmsk(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	lowestBit(m, i, a.V^(a.V-1), a, a.V == 0)
	m.SetFlag(zero, false, false)
}

// counted sets the result n and the flags of TZCNT and LZCNT.
func counted(m *machine, i *inst, n int, a word) {
	m.SetFlag(carry, a.V == 0, a.Secret)
	m.SetFlag(zero, n == 0, a.Secret)
	m.Forget(overflow, sign, parity)
	m.Set(i, &i.Op[1], value(uint64(n), a.Secret))
}

func tzcnt(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	counted(m, i, min(bits.TrailingZeros64(a.V), int(i.Bits)), a)
}

func lzcnt(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	counted(m, i, bits.LeadingZeros64(a.V)-(64-int(i.Bits)), a)
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

// scanned sets the result n and the flags of BSF and BSR. For a = 0 their result is undefined.
func scanned(m *machine, i *inst, n int, a word) {
	m.SetFlag(zero, a.V == 0, a.Secret)
	m.Forget(carry, overflow, sign, parity)
	if a.V == 0 {
		m.Reg[i.Op[1].Index].Defined = 0
		return
	}
	m.Set(i, &i.Op[1], value(uint64(n), a.Secret))
}

func bsf(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	scanned(m, i, bits.TrailingZeros64(a.V), a)
}

func bsr(m *machine, i *inst) {
	a := m.Get(i, &i.Op[0])
	scanned(m, i, 63-bits.LeadingZeros64(a.V), a)
}

func div(m *machine, i *inst) {
	d, lo, hi := m.Get(i, &i.Op[0]), m.ReadReg(0, 0, i.Bits), m.ReadReg(2, 0, i.Bits)
	if hi.V >= d.V {
		m.Fault("the quotient does not fit")
	}
	s := d.Secret || lo.Secret || hi.Secret
	var q, r uint64
	if i.Bits == 64 {
		q, r = bits.Div64(hi.V, lo.V, d.V)
	} else {
		n := hi.V<<i.Bits | lo.V
		q, r = n/d.V, n%d.V
	}
	m.WriteReg(0, 0, i.Bits, value(q, s))
	m.WriteReg(2, 0, i.Bits, value(r, s))
	m.Forget(carry, parity, zero, sign, overflow)
}

func pdep(m *machine, i *inst) {
	sel, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	var r uint64
	for k, left := 0, sel.V; left != 0; k, left = k+1, left&(left-1) {
		if a.V>>k&1 == 1 {
			r |= left & -left
		}
	}
	m.Set(i, &i.Op[2], value(r, sel.Secret || a.Secret))
}

func pext(m *machine, i *inst) {
	sel, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
	var r uint64
	for k, left := 0, sel.V; left != 0; k, left = k+1, left&(left-1) {
		if a.V&(left&-left) != 0 {
			r |= 1 << k
		}
	}
	m.Set(i, &i.Op[2], value(r, sel.Secret || a.Secret))
}
