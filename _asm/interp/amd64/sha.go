package amd64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// addSHA adds the SHA-256 instructions to the table t, and the SSE instructions that move the words
// and bytes of two registers of 128 bits.
func addSHA(t table) {
	// words adds an instruction that computes its destination from the last two operands, src and
	// dst, and perhaps from its first operand.
	words := func(name string, operands int, f func(i *inst, first, src, dst *vector) vector) {
		one(t, name, 0, operands, func(m *machine, i *inst) {
			src, dst := getVec(m, i, &i.Op[operands-2], 2), getVec(m, i, &i.Op[operands-1], 2)
			first := vector{}
			if i.Op[0].Kind == interp.Vec {
				first = getVec(m, i, &i.Op[0], 2)
			}
			r := f(i, &first, &src, &dst)
			r.Secret = anySecret(2, first, src, dst)
			setLow(m, &i.Op[operands-1], r)
		})
	}
	// moves adds an instruction that sets byte k of its destination to byte from(k) of dst, or byte
	// from(k) - 16 of src. Numbers from 32 up give 0.
	moves := func(name string, operands int, from func(i *inst, src *vector, k int) int) {
		words(name, operands, func(i *inst, _, src, dst *vector) (r vector) {
			all := [5]uint64{dst.V[0], dst.V[1], src.V[0], src.V[1]}
			for k := range 16 {
				at := min(from(i, src, k), 32)
				r.V[k/8] |= all[at/8] >> (at % 8 * 8) & 0xff << (k % 8 * 8)
			}
			return r
		})
	}
	for name, word := range map[string][4]int{
		"PUNPCKLLQ": {0, 4, 1, 5}, "PUNPCKHLQ": {2, 6, 3, 7},
		"PUNPCKLQDQ": {0, 1, 4, 5}, "PUNPCKHQDQ": {2, 3, 6, 7},
	} {
		moves(name, 2, func(_ *inst, _ *vector, k int) int { return 4*word[k/4] + k%4 })
	}
	moves("PSHUFB", 2, func(_ *inst, src *vector, k int) int {
		by := int(src.V[k/8] >> (k % 8 * 8) & 0xff)
		return by>>7*32 + by&15
	})
	moves("PALIGNR", 3, func(i *inst, _ *vector, k int) int {
		return (k + int(i.Op[0].Imm)) ^ 16 // src holds the lower bytes
	})
	words("SHA256MSG1", 2, func(_ *inst, _, src, dst *vector) (r vector) {
		w := [5]uint64{dword(dst, 0), dword(dst, 1), dword(dst, 2), dword(dst, 3), dword(src, 0)}
		for k := range 4 {
			setDword(&r, k, uint64(uint32(w[k])+(rotations(w[k+1], 7, 18)^uint32(w[k+1])>>3)))
		}
		return r
	})
	words("SHA256MSG2", 2, func(_ *inst, _, src, dst *vector) (r vector) {
		w := [6]uint64{dword(src, 2), dword(src, 3)}
		for k := range 4 {
			w[k+2] = uint64(uint32(dword(dst, k)) + (rotations(w[k], 17, 19) ^ uint32(w[k])>>10))
			setDword(&r, k, w[k+2])
		}
		return r
	})
	words("SHA256RNDS2", 3, func(_ *inst, first, src, dst *vector) (r vector) {
		f, e, b, a := dword(src, 0), dword(src, 1), dword(src, 2), dword(src, 3)
		h, g, d, c := dword(dst, 0), dword(dst, 1), dword(dst, 2), dword(dst, 3)
		for k := range 2 {
			t := h + uint64(rotations(e, 6, 11, 25)) + (e&f | ^e&g) + dword(first, k)
			u := uint64(rotations(a, 2, 13, 22)) + (a&b ^ a&c ^ b&c)
			h, g, f, e, d, c, b, a = g, f, e, (d+t)&0xffffffff, c, b, a, (t+u)&0xffffffff
		}
		for k, x := range []uint64{f, e, b, a} {
			setDword(&r, k, x)
		}
		return r
	})
}

// rotations returns the exclusive or of x rotated to the right by each count, in 32 bits.
func rotations(x uint64, counts ...int) (r uint32) {
	for _, n := range counts {
		r ^= bits.RotateLeft32(uint32(x), -n)
	}
	return r
}
