package interp_test

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// toyWide adds to the toy table t the instructions that long kernels on whole vectors need: halves
// of products, left shifts, shifts of pairs, and masks.
func toyWide(t map[string]*interp.Kind, lanes int, one toyAdd) {
	type number = *interp.Number
	toyLanewise(lanes, one, "VOR", func(a, b uint64) uint64 { return a | b },
		func(r *interp.Ranges, a, b number) number { return r.Or(a, b, false) })
	toyLanewise(lanes, one, "VPROD", func(a, b uint64) uint64 { return a * b },
		func(r *interp.Ranges, a, b number) number { return r.Mul(a, b) })
	toyShift(lanes, one, "VSHL", func(a uint64, n uint) uint64 { return a << n },
		func(r *interp.Ranges, i *interp.Inst, a number) number { return r.ShiftLeft(i, a, r.Count(i)) })
	toyShift(lanes, one, "VSAR", func(a uint64, n uint) uint64 { return uint64(int64(a) >> n) },
		func(r *interp.Ranges, i *interp.Inst, a number) number {
			return r.ShiftRight(i, a, r.Count(i), true)
		})

	// VPAIR #n, high, low, dst sets dst to the 64 bits of low + 2^64·high that start at bit n.
	one("VPAIR", 4, func(m *interp.Machine, i *interp.Inst) {
		next, a := m.ReadVec(&i.Op[1], lanes), m.ReadVec(&i.Op[2], lanes)
		a.Secret |= next.Secret
		for k := range lanes {
			a.V[k] = a.V[k]>>i.Op[0].Imm | next.V[k]<<(64-i.Op[0].Imm)
		}
		toySet(m, &i.Op[3], a)
	}).Range = func(r *interp.Ranges, i *interp.Inst) {
		next, a := r.Read(i, &i.Op[1]), r.Read(i, &i.Op[2])
		r.Write(i, &i.Op[3], r.ShiftPair(i, a, next, r.Count(i)))
	}
	// VMADL a, b, dst adds the low half of a·b to dst, and VMADH adds the high half.
	for name, upper := range map[string]bool{"VMADL": false, "VMADH": true} {
		k := one(name, 3, func(m *interp.Machine, i *interp.Inst) {
			a, b, d := m.ReadVec(&i.Op[0], lanes), m.ReadVec(&i.Op[1], lanes), m.ReadVec(&i.Op[2], lanes)
			d.Secret |= a.Secret | b.Secret
			for k := range lanes {
				_, product := bits.Mul64(a.V[k]&0xffffffff, b.V[k]&0xffffffff)
				if upper {
					product >>= 32
				}
				d.V[k] += product & 0xffffffff
			}
			toySet(m, &i.Op[2], d)
		})
		k.Accumulates = true
		k.Range = func(r *interp.Ranges, i *interp.Inst) {
			a, b, d := r.Read(i, &i.Op[0]), r.Read(i, &i.Op[1]), r.Read(i, &i.Op[2])
			r.Write(i, &i.Op[2], r.MultiplyAdd(i, a, b, d, upper))
		}
	}
	// VTST a, mask sets mask to the mask of the lanes in which a is not 0.
	one("VTST", 2, func(m *interp.Machine, i *interp.Inst) {
		a := m.ReadVec(&i.Op[0], lanes)
		k := interp.Bits{Defined: true, Secret: a.Secret != 0}
		for lane := range lanes {
			if a.V[lane] != 0 {
				k.V |= 1 << lane
			}
		}
		m.Mask[i.Op[1].Index] = k
	}).Range = func(r *interp.Ranges, i *interp.Inst) { r.TestNotZero(i, r.Read(i, &i.Op[0])) }
	// VSEL src, mask, dst copies the lanes of src that the mask selects to dst, a register or
	// memory.
	k := one("VSEL", 2, func(m *interp.Machine, i *interp.Inst) {
		mask := m.ReadMask(&interp.Operand{Kind: interp.Mask, Index: i.Selection, Text: "the mask"})
		from := m.ReadVec(&i.Op[0], lanes)
		if i.Op[1].Kind == interp.Memory {
			m.StoreVec(m.Address(&i.Op[1]), &from, lanes, uint8(mask.V), mask.Secret)
			return
		}
		to := m.ReadVec(&i.Op[1], lanes)
		for lane := range lanes {
			if mask.V>>lane&1 == 1 {
				to.V[lane] = from.V[lane]
			}
		}
		to.Secret |= from.Secret
		if mask.Secret {
			to.Secret = uint8(1<<lanes - 1)
		}
		toySet(m, &i.Op[1], to)
	})
	k.Range = func(r *interp.Ranges, i *interp.Inst) {
		r.WriteLanes(i, &i.Op[1], r.Lanes(i, &i.Op[0]))
	}
}
