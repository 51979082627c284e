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

// maskLogic returns the function for a logical operation f on the lowest eight bits of mask
// registers.
func maskLogic(f func(a, b uint64) uint64) func(*machine, *inst) {
	return func(m *machine, i *inst) {
		a, b := m.ReadMask(&i.Op[1]), m.ReadMask(&i.Op[0])
		m.Mask[i.Op[2].Index] = bit{V: f(a.V, b.V) & 0xff, Defined: true, Secret: a.Secret || b.Secret}
	}
}

func maskNot(m *machine, i *inst) {
	a := m.ReadMask(&i.Op[0])
	m.Mask[i.Op[1].Index] = bit{V: ^a.V & 0xff, Defined: true, Secret: a.Secret}
}

func maskShiftLeft(m *machine, i *inst) {
	a := m.ReadMask(&i.Op[1])
	m.Mask[i.Op[2].Index] = bit{V: a.V << i.Op[0].Imm & 0xff, Defined: true, Secret: a.Secret}
}
