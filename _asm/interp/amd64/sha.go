package amd64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// setLow writes the lowest two lanes of r to operand o. The other lanes of o keep their values, as
// in SSE instructions.
func setLow(m *machine, o *operand, r vector) {
	x := &m.Vec[o.Index]
	copy(x.V[:2], r.V[:2])
	x.Defined |= 3
	x.Secret = x.Secret&^3 | r.Secret&3
}

// addSHA adds the SHA-256 instructions to the table t, and the SSE instructions that kernels use
// beside them.
func addSHA(t table) {
	// words adds an instruction that computes its destination from the last two operands, src and
	// dst, and perhaps from its first operand. If moves is set, the instruction overwrites dst
	// without reading it.
	words := func(name string, operands int, moves bool,
		f func(i *inst, first, src, dst *vector) vector) {
		one(t, name, 0, operands, func(m *machine, i *inst) {
			src, first, dst := getVec(m, i, &i.Op[operands-2], 2), vector{}, vector{}
			if !moves {
				dst = getVec(m, i, &i.Op[operands-1], 2)
			}
			if i.Op[0].Kind == interp.Vec {
				first = getVec(m, i, &i.Op[0], 2)
			}
			r := f(i, &first, &src, &dst)
			r.Secret = anySecret(2, first, src, dst)
			setLow(m, &i.Op[operands-1], r)
		})
	}
	// picks adds an instruction that sets each byte k of its destination to a byte of dst or src.
	// Let n be the number that index returns for k. The byte is byte n of dst for n < 16, byte
	// n - 16 of src for n < 32, and 0 for larger n.
	picks := func(name string, operands int, index func(i *inst, src *vector, k int) int) {
		words(name, operands, false, func(i *inst, _, src, dst *vector) (r vector) {
			all := [5]uint64{dst.V[0], dst.V[1], src.V[0], src.V[1]}
			for k := range 16 {
				at := min(index(i, src, k), 32)
				r.V[k/8] |= all[at/8] >> (at % 8 * 8) & 0xff << (k % 8 * 8)
			}
			return r
		})
	}
	for name, word := range map[string][4]int{
		"PUNPCKLLQ": {0, 4, 1, 5}, "PUNPCKHLQ": {2, 6, 3, 7},
		"PUNPCKLQDQ": {0, 1, 4, 5}, "PUNPCKHQDQ": {2, 3, 6, 7},
	} {
		picks(name, 2, func(_ *inst, _ *vector, k int) int { return 4*word[k/4] + k%4 })
	}
	picks("PSHUFB", 2, func(_ *inst, src *vector, k int) int {
		by := int(lane(src, k, 8))
		return by>>7*32 + by&15
	})
	picks("PALIGNR", 3, func(i *inst, _ *vector, k int) int {
		return (k + int(i.Op[0].Imm)) ^ 16 // src holds the lower bytes
	})
	words("MOVOU", 2, true, func(_ *inst, _, src, _ *vector) vector { return *src })
	words("PSHUFL", 3, true, func(i *inst, _, src, _ *vector) (r vector) {
		for k := range 4 {
			setDword(&r, k, lane(src, int(i.Op[0].Imm>>(2*k)&3), 32))
		}
		return r
	})
	words("PADDL", 2, false, func(_ *inst, _, src, dst *vector) (r vector) {
		for k := range 4 {
			setDword(&r, k, (lane(src, k, 32)+lane(dst, k, 32))&0xffffffff)
		}
		return r
	})
	words("SHA256MSG1", 2, false, func(_ *inst, _, src, dst *vector) (r vector) {
		next := uint32(lane(src, 0, 32))
		for k := 3; k >= 0; k-- {
			w := uint32(lane(dst, k, 32))
			setDword(&r, k, uint64(w+(rotations(next, 7, 18)^next>>3)))
			next = w
		}
		return r
	})
	words("SHA256MSG2", 2, false, func(_ *inst, _, src, dst *vector) (r vector) {
		w := [6]uint32{uint32(lane(src, 2, 32)), uint32(lane(src, 3, 32))}
		for k := range 4 {
			w[k+2] = uint32(lane(dst, k, 32)) + (rotations(w[k], 17, 19) ^ w[k]>>10)
			setDword(&r, k, uint64(w[k+2]))
		}
		return r
	})
	words("SHA256RNDS2", 3, false, func(_ *inst, first, src, dst *vector) (r vector) {
		var s [8]uint32 // f, e, b, a, h, g, d, c
		for k := range 4 {
			s[k], s[4+k] = uint32(lane(src, k, 32)), uint32(lane(dst, k, 32))
		}
		for k := range 2 {
			f, e, b, a, h, g, d, c := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
			x := h + rotations(e, 6, 11, 25) + (e&f | ^e&g) + uint32(lane(first, k, 32))
			y := rotations(a, 2, 13, 22) + (a&b ^ a&c ^ b&c)
			s = [8]uint32{e, d + x, a, x + y, g, f, c, b}
		}
		for k := range 4 {
			setDword(&r, k, uint64(s[k]))
		}
		return r
	})

	general := t["MOVQ"].Run
	t["MOVQ"].Run = func(m *machine, i *inst) {
		src, dst := &i.Op[0], &i.Op[1]
		switch interp.Vec {
		case dst.Kind:
			setLow(m, dst, repeat(m.GetBits(src, 64), 1))
		case src.Kind:
			v := getVec(m, i, src, 1)
			m.SetBits(dst, 64, value(v.V[0], v.Secret&1 != 0))
		default:
			general(m, i)
		}
	}
}

// rotations returns the exclusive or of x rotated to the right by each count.
func rotations(x uint32, counts ...int) (r uint32) {
	for _, n := range counts {
		r ^= bits.RotateLeft32(x, -n)
	}
	return r
}
