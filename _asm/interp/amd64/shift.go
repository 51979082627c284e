package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// A shifter shifts the 64-bit value a by count, from 1 to 63. It returns the result, CF and OF. OF
// is meaningful only for shifts by one.
type shifter func(count uint, a uint64) (r uint64, c, o bool)

func top(a uint64) bool { return a>>63 == 1 }

func shl(count uint, a uint64) (uint64, bool, bool) {
	r, c := a<<count, a>>(64-count)&1 == 1
	return r, c, top(r) != c
}

func shr(count uint, a uint64) (uint64, bool, bool) {
	return a >> count, a>>(count-1)&1 == 1, top(a)
}

func sar(count uint, a uint64) (uint64, bool, bool) {
	return uint64(int64(a) >> count), a>>(count-1)&1 == 1, false
}

// count returns the shift count modulo 64. The count is the operand o, an immediate or CL.
func count(m *machine, o *operand) word {
	n := word{V: o.Imm}
	if o.Kind != interp.Immediate {
		if o.Index != rcx {
			m.Fault("the count is not in CL")
		}
		n = m.ReadReg(rcx, 0, 8)
	}
	n.V &= 63
	return n
}

// shift returns the function for SHL or SHR of 32 or 64 bits, or SARQ. toLeft is set for SHL. With
// three operands, the instruction shifts the concatenation of two numbers. The destination is the
// upper half of the shifted number (SHL) or the lower half (SHR). After a shift by CL no flag holds
// a value, because the value of CL determines which flags change.
func shift(f shifter, toLeft bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, to := count(m, &i.Op[0]), &i.Op[len(i.Op)-1]
		a, other := m.Get(i, to), word{}
		if len(i.Op) == 3 {
			other = m.Get(i, &i.Op[1])
		}
		n.V &= uint64(i.Bits - 1)
		s := n.Secret || a.Secret || other.Secret
		unused := uint(0)
		if toLeft {
			unused = 64 - i.Bits // upper bits
		}
		r, c, o := a.V<<unused, false, false
		if n.V != 0 {
			r, c, o = f(uint(n.V), r)
		}
		r >>= unused
		if n.V != 0 && len(i.Op) == 3 {
			if toLeft {
				r |= other.V >> (64 - n.V)
			} else {
				r |= other.V << (64 - n.V)
			}
			o = top(r) != top(a.V)
		}
		switch {
		case i.Op[0].Kind != interp.Immediate:
			m.Forget(carry, parity, zero, sign, overflow)
		case n.V != 0:
			m.SetFlag(carry, c, s)
			m.Forget(overflow)
			if n.V == 1 && i.Bits == 64 {
				m.SetFlag(overflow, o, s)
			}
			setResult(m, r, i.Bits, s)
		}
		m.Set(i, to, value(r, s))
	}
}

// shiftX returns the function for SHLXQ, SHRXQ or SARXQ, which change no flag.
func shiftX(f shifter) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		n, a := m.Get(i, &i.Op[0]), m.Get(i, &i.Op[1])
		r := value(a.V, n.Secret || a.Secret)
		if n.V&63 != 0 {
			r.V, _, _ = f(uint(n.V&63), a.V)
		}
		m.Set(i, &i.Op[2], r)
	}
}
