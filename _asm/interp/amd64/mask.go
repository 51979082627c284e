package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// kmov returns the function for KMOV of the given width, which moves between mask registers,
// general registers and memory.
func kmov(bits uint) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		src, dst := &i.Op[0], &i.Op[1]
		var w word
		if src.Kind == interp.Mask {
			w = m.ReadMask(src)
			w.V &= interp.WidthMask(bits)
		} else {
			w = m.GetBits(src, bits)
		}
		switch dst.Kind {
		case interp.Mask:
			m.Mask[dst.Index] = bit{V: w.V, Defined: true, Secret: w.Secret}
		case interp.General:
			m.SetBits(dst, max(bits, 32), w)
		default:
			m.SetBits(dst, bits, w)
		}
	}
}

// maskLogic returns the function for a logical operation f on the lowest bits of mask registers. If
// cancels is set, two equal source registers give a public result.
func maskLogic(bits uint, cancels bool, f func(a, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		var a, b word
		if !cancels || !i.Op[0].Same(&i.Op[1]) {
			a, b = m.ReadMask(&i.Op[1]), m.ReadMask(&i.Op[0])
		}
		m.Mask[i.Op[2].Index] = bit{V: f(a.V, b.V) & interp.WidthMask(bits), Defined: true,
			Secret: a.Secret || b.Secret}
	}
}

func maskNot(bits uint) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a := m.ReadMask(&i.Op[0])
		m.Mask[i.Op[1].Index] = bit{V: ^a.V & interp.WidthMask(bits), Defined: true, Secret: a.Secret}
	}
}

func maskShift(bits uint, left bool) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, n := m.ReadMask(&i.Op[1]), i.Op[0].Imm&0xff
		var r uint64
		if left {
			r = a.V << n & interp.WidthMask(bits)
		} else {
			r = (a.V & interp.WidthMask(bits)) >> n
		}
		m.Mask[i.Op[2].Index] = bit{V: r, Defined: true, Secret: a.Secret}
	}
}

// maskTest returns the function for KORTEST of the given width. It sets ZF if the union of both
// masks is empty, and CF if the union has all bits.
func maskTest(bits uint) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b := m.ReadMask(&i.Op[1]), m.ReadMask(&i.Op[0])
		r, s := (a.V|b.V)&interp.WidthMask(bits), a.Secret || b.Secret
		m.SetFlag(zero, r == 0, s)
		m.SetFlag(carry, r == interp.WidthMask(bits), s)
		for _, f := range []int{overflow, sign, parity} {
			m.SetFlag(f, false, false)
		}
	}
}
