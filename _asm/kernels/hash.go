package kernels

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func hash() []Kernel {
	return []Kernel{
		{
			Name: "loadEachAVX512", Package: "hash", File: "sixteen_amd64",
			Signature: "func(words *[2][8][Sixteen]uint32, blocks *[Sixteen]*[64]byte)",
			Layout:    "func(words *uint64, blocks *uint64)",
			Doc: "loadEachAVX512 sets words[h][i][j] to word 8h + i of blocks[j], read as a\n" +
				"big-endian number. No block may overlap words.",
			ConstantTime: true,
			Build:        hashLoadEach,
		},
		{
			Name: "compressAVX512", Package: "hash", File: "sixteen_amd64",
			Signature: "func(state *[8][Sixteen]uint32, words *[2][8][Sixteen]uint32)",
			Layout:    "func(state *uint64, words *uint64)",
			Doc: "compressAVX512 applies the compression function of SHA-256 (FIPS 180-4,\n" +
				"section 6.2.2) to sixteen states, each with its own block: state j is\n" +
				"state[0][j] … state[7][j], and word 8h + i of its block is words[h][i][j].",
			ConstantTime: true,
			Build:        hashCompress,
		},
		{
			Name: "compressPairsSHA", Package: "hash", File: "pairs_amd64",
			Signature: "func(state *[8][Sixteen]uint32, blocks *[Sixteen]*[64]byte, pairs int)",
			Layout:    "func(state *uint64, blocks *uint64, pairs int)",
			Doc: "compressPairsSHA applies the compression function of SHA-256 (FIPS 180-4,\n" +
				"section 6.2.2) to the first 2·pairs states, pairs ≥ 1: state j is state[0][j] …\n" +
				"state[7][j], and its block is blocks[j]. No block may overlap state.",
			ConstantTime: true,
			Build:        hashPairs,
		},
	}
}

const zmm = 64 // size of a vector register in bytes

// These are the vector registers that VZEROUPPER affects, and those that it does not affect.
var (
	low = []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	}
	high = []reg.VecPhysical{
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
	}
)

func hashLoadEach(c *build.Context) {
	words, blocks, block := operand.Mem{Base: reg.RDI}, operand.Mem{Base: reg.RSI}, reg.RCX
	argument(c, "words", reg.RDI)
	argument(c, "blocks", reg.RSI)
	for half := range 2 {
		hashTranspose(c, words.Offset(8*zmm*half), func(j int) operand.Mem {
			c.MOVQ(blocks.Offset(8*j), block)
			return operand.Mem{Base: block, Disp: 32 * half}
		})
	}
	clearVectors(c, 16)
	c.RET()
}

// hashTranspose sets words to the eight big-endian words of each of sixteen rows. It calls row(j)
// for the address of each row j, in order.
//
// It loads rows j and j + 4 into the halves of a register, for j = 0 … 3 and 8 … 11. In two steps,
// unpack instructions transpose four words of four rows within every 128 bits. For k = 0 … 3, this
// gives:
//
//	register k of the first four:  word k of rows 0–3 | word 4+k of rows 0–3 |
//	                               word k of rows 4–7 | word 4+k of rows 4–7
//
// A shuffle of the 128-bit blocks of this register and of the corresponding one for the other eight
// rows then gives words k and 4 + k of all rows in order.
func hashTranspose(c *build.Context, words operand.Mem, row func(j int) operand.Mem) {
	rows, t := low[:8], low[8:]
	for half := range 2 {
		four := rows[4*half:][:4]
		for k, r := range four {
			c.VMOVDQU(row(8*half+k), r.AsY())
		}
		for k, r := range four {
			c.VINSERTI64X4(operand.U8(1), row(8*half+4+k), r, r)
		}
	}

	// Reverse the bytes of each word: a rotation to the right puts the bytes at odd positions in
	// order, and a rotation to the left the bytes at even positions.
	odd, left := t[0], t[1]
	c.MOVL(operand.U32(0xff00ff00), reg.EAX)
	c.VPBROADCASTD(reg.EAX, odd)
	for _, r := range rows {
		c.VPRORD(operand.U8(24), r, left)
		c.VPRORD(operand.U8(8), r, r)
		c.VPTERNLOGQ(operand.U8(0xe4), odd, left, r) // bit by bit: odd ? r : left
	}

	for half := range 2 {
		x, y := rows[4*half:], t[4*half:]
		c.VPUNPCKLDQ(x[1], x[0], y[0])
		c.VPUNPCKHDQ(x[1], x[0], y[1])
		c.VPUNPCKLDQ(x[3], x[2], y[2])
		c.VPUNPCKHDQ(x[3], x[2], y[3])
		c.VPUNPCKLQDQ(y[2], y[0], x[0])
		c.VPUNPCKHQDQ(y[2], y[0], x[1])
		c.VPUNPCKLQDQ(y[3], y[1], x[2])
		c.VPUNPCKHQDQ(y[3], y[1], x[3])
	}
	for k := range 4 {
		c.VSHUFI64X2(operand.U8(0x88), rows[4+k], rows[k], t[k])
		c.VMOVDQU64(t[k], words.Offset(zmm*k))
		c.VSHUFI64X2(operand.U8(0xdd), rows[4+k], rows[k], t[k])
		c.VMOVDQU64(t[k], words.Offset(zmm*(4+k)))
	}
}

// clearVectors clears the first n vector registers. It leaves the upper halves of all registers
// marked as unused (VZEROUPPER), as code without AVX requires.
func clearVectors(c *build.Context, n int) {
	c.VZEROALL()
	for _, r := range high[:n-16] {
		c.VPXORQ(r, r, r)
	}
}

// hashCompress writes the compression function of SHA-256 for sixteen messages. It keeps the states
// in Z0 … Z7; after each round, the roles of these registers move by one. Z8 … Z23 hold sixteen
// words of the message schedule. After its use, each word is replaced by the word for the round
// sixteen rounds later. The loop has four iterations of sixteen rounds; the last one needs no new
// words.
func hashCompress(c *build.Context) {
	state, words, constants := operand.Mem{Base: reg.RDI}, operand.Mem{Base: reg.RSI}, reg.RAX
	count := reg.RCX
	argument(c, "state", reg.RDI)
	argument(c, "words", reg.RSI)
	c.LEAQ(hashConstants(c), constants)

	s, w, t := low[:8], append(low[8:16:16], high[:8]...), high[8:12]
	for i := range s {
		c.VMOVDQU64(state.Offset(zmm*i), s[i])
	}
	for i := range w {
		c.VMOVDQU64(words.Offset(zmm*i), w[i])
	}
	const xor3, choose, majority = operand.U8(0x96), operand.U8(0xca), operand.U8(0xe8)

	// sum sets t0 to the xor of three rotations of x to the right, by the numbers of bits in a, b
	// and last. If shift is set, the third is a shift instead of a rotation.
	sum := func(x reg.VecPhysical, a, b, last operand.U8, shift bool) {
		c.VPRORD(a, x, t[0])
		c.VPRORD(b, x, t[1])
		if shift {
			c.VPSRLD(last, x, t[2])
		} else {
			c.VPRORD(last, x, t[2])
		}
		c.VPTERNLOGQ(xor3, t[2], t[1], t[0])
	}
	round := func(i int, schedule bool) {
		at := func(k int) reg.VecPhysical { return s[(k+8*16-i)%8] }
		a, b, cc, d := at(0), at(1), at(2), at(3)
		e, f, g, h := at(4), at(5), at(6), at(7)

		c.VPBROADCASTD(operand.Mem{Base: constants, Disp: 4 * i}, t[3])
		c.VPADDD(w[i], t[3], t[3])
		c.VPADDD(t[3], h, h)
		sum(e, 6, 11, 25, false)
		c.VMOVDQA64(e, t[3])
		c.VPTERNLOGQ(choose, g, f, t[3])
		c.VPADDD(t[3], h, h)
		c.VPADDD(h, d, d)
		c.VPADDD(t[0], d, d)
		c.VPADDD(t[0], h, h)
		c.VMOVDQA64(a, t[3])
		c.VPTERNLOGQ(majority, cc, b, t[3])
		c.VPADDD(t[3], h, h)
		sum(a, 2, 13, 22, false)
		c.VPADDD(t[0], h, h)

		if schedule {
			sum(w[(i+1)%16], 7, 18, 3, true)
			c.VPADDD(t[0], w[i], w[i])
			c.VPADDD(w[(i+9)%16], w[i], w[i])
			sum(w[(i+14)%16], 17, 19, 10, true)
			c.VPADDD(t[0], w[i], w[i])
		}
	}
	c.MOVL(operand.U32(3), count.As32())
	c.Label("rounds")
	for i := range 16 {
		round(i, true)
	}
	c.ADDQ(operand.U8(64), constants)
	c.DECL(count.As32())
	c.JNZ(operand.LabelRef("rounds"))
	for i := range 16 {
		round(i, false)
	}
	for i := range s {
		c.VPADDD(state.Offset(zmm*i), s[i], s[i])
		c.VMOVDQU64(s[i], state.Offset(zmm*i))
	}
	clearVectors(c, 28)
	c.RET()
}

// hashConstants returns read-only data with the round constants of SHA-256 (FIPS 180-4, section
// 4.2.2).
func hashConstants(c *build.Context) operand.Mem {
	m := c.StaticGlobal("sha256Constants")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, k := range SHA256Constants() {
		c.AddDatum(4*i, operand.U32(k))
	}
	return m
}
