package kernels

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func keccak() []Kernel {
	return []Kernel{{
		Name: "absorbAVX512", Package: "hash", File: "keccak_amd64",
		Signature: "func(state *[25][keccakLanes]uint64, blocks *[keccakLanes]*[keccakRate]byte, " +
			"keep uint64)",
		Layout: "func(state *uint64, blocks *uint64, keep uint64)",
		Doc: "absorbAVX512 adds blocks[j] to the Keccak state j, whose lane at x, y is\n" +
			"state[x + 5y][j], and applies Keccak-f[1600] to the sum, for eight states. A state\n" +
			"j whose bit in keep, 1<<j, is not set counts as zeros. No block overlaps state.",
		ConstantTime: true,
		Build:        keccakAbsorb,
	}}
}

// keccakRate is the number of words of a block of Keccak-256.
const keccakRate = 17

// keccakAbsorb has the 25 lanes of the states in a register each, for eight states. A lane of
// Keccak is a word of 64 bits, and the place of the word in its register is the state's number.
//
// A round has 95 instructions that compute and 15 copies, which the renaming of registers does.
// With four pipes for vectors of 512 bits that is 24 cycles, with two 48.
func keccakAbsorb(c *build.Context) {
	state, blocks := operand.Mem{Base: reg.RDI}, operand.Mem{Base: reg.RSI}
	argument(c, "state", reg.RDI)
	argument(c, "blocks", reg.RSI)
	c.Load(c.Param("keep"), reg.RAX)
	c.KMOVW(reg.EAX, reg.K1)

	// The low registers are temporary: there are forms for them that AVX-512F does not have.
	t := low[:7]
	a := append(low[7:16:16], high...)

	keccakLoad(c, blocks, a[:keccakRate], t)
	for i, lane := range a {
		if i < keccakRate {
			c.VMOVDQU64_Z(state.Offset(zmm*i), reg.K1, t[i%4])
			c.VPXORQ(t[i%4], lane, lane)
		} else {
			c.VMOVDQU64_Z(state.Offset(zmm*i), reg.K1, lane)
		}
	}

	constants, count := reg.RAX, reg.RCX
	c.LEAQ(keccakConstants(c), constants)
	c.MOVL(operand.U32(24/4), count.As32())
	c.Label("rounds")
	for i := range 4 { // after which each lane is in its register again
		a = keccakRound(c, a, t)
		c.VPXORQ_BCST(operand.Mem{Base: constants, Disp: 8 * i}, a[0], a[0]) // ι
	}
	c.ADDQ(operand.U8(4*8), constants)
	c.DECL(count.As32())
	c.JNZ(operand.LabelRef("rounds"))

	for i, lane := range a {
		c.VMOVDQU64(lane, state.Offset(zmm*i))
	}
	clearVectors(c, 32)
	c.RET()
}

// keccakLoad sets word i of a block to the words i of eight blocks, in order. Four words of all
// blocks at a time are four registers with the halves
//
//	block 0 | 2    block 1 | 3    block 4 | 6    block 5 | 7
//
// A step of unpacking makes pairs of them, for words 0 and 2, and for 1 and 3:
//
//	words 0 of 0, 1 | words 2 of 0, 1 | words 0 of 2, 3 | words 2 of 2, 3
//
// and of two such registers, of which the other has the blocks from 4 on, the even quarters are
// all words 0 and the odd ones all words 2.
func keccakLoad(c *build.Context, blocks operand.Mem, words, t []reg.VecPhysical) {
	at := [8]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.R8, reg.R9, reg.R10, reg.R11}
	for j, p := range at {
		c.MOVQ(blocks.Offset(8*j), p)
	}
	word := func(j, i int) operand.Mem { return operand.Mem{Base: at[j], Disp: 8 * i} }
	for i := 0; i < keccakRate-1; i += 4 {
		w := words[i : i+4]
		for k, j := range [4]int{0, 1, 4, 5} {
			c.VMOVDQU(word(j, i), t[k].AsY())
			c.VINSERTI64X4(operand.U8(1), word(j+2, i), t[k], t[k])
		}
		c.VPUNPCKLQDQ(t[1], t[0], w[0])
		c.VPUNPCKHQDQ(t[1], t[0], w[1])
		c.VPUNPCKLQDQ(t[3], t[2], w[2])
		c.VPUNPCKHQDQ(t[3], t[2], w[3])
		for k := range 2 {
			c.VSHUFI64X2(operand.U8(0x88), w[2+k], w[k], t[k])
			c.VSHUFI64X2(operand.U8(0xdd), w[2+k], w[k], w[2+k])
			c.VMOVDQA64(t[k], w[k])
		}
	}
	const last = keccakRate - 1
	for k := range 4 {
		x := t[k].AsX()
		c.VMOVQ(word(2*k, last), x)
		c.VPINSRQ(operand.U8(1), word(2*k+1, last), x, x)
	}
	for k := 0; k < 4; k += 2 {
		c.VINSERTI128(operand.U8(1), t[k+1].AsX(), t[k].AsY(), t[k].AsY())
	}
	c.VINSERTI64X4(operand.U8(1), t[2].AsY(), t[0], words[last])
}

// keccakRound does a round but for ι on the lane at x, y in a[x + 5y], and returns the registers of
// the lanes after it. t are seven others.
//
// The two words that θ adds to a lane could be added with it by one VPTERNLOGQ, for which their sum
// need not be computed, and π could be done by the registers that ρ writes. With five instructions
// fewer, in the order of these steps, that took 30 % longer (docs/lab/hashes.md).
func keccakRound(c *build.Context, a, t []reg.VecPhysical) (after []reg.VecPhysical) {
	// θ adds to the lanes of a column the parities of two: that of the column on the left, and that
	// of the column on the right turned by one bit. Their sum takes the place of a parity that is
	// not needed any more, in this order of columns.
	const xor3 = operand.U8(0x96)
	parity := t[:5]
	for x, p := range parity {
		c.VMOVDQA64(a[x], p)
		c.VPTERNLOGQ(xor3, a[x+10], a[x+5], p)
		c.VPTERNLOGQ(xor3, a[x+20], a[x+15], p)
	}
	sum := [5]reg.VecPhysical{t[5], parity[0], parity[1], parity[2], parity[3]}
	for _, x := range []int{0, 2, 4, 1, 3} {
		c.VPROLQ(operand.U8(1), parity[(x+1)%5], t[6])
		c.VPXORQ(t[6], parity[(x+4)%5], sum[x])
	}

	// Row y of the result has the lanes from[0 … 4], which π brings together, and they come from
	// five columns. Each result takes the register of that of the five which was in its column:
	// to[x] is from[x + 2y]. So no other lane is in the way, and what was at x, y in the beginning
	// is at x, x + 2y: four times that is where it was.
	after = make([]reg.VecPhysical, len(a))
	first, second := t[4], t[6]
	for y := range 5 {
		var from, to [5]reg.VecPhysical
		for x := range 5 {
			from[x], to[x] = a[(x+3*y)%5+5*x], a[x+5*((x+2*y)%5)]
			after[x+5*y] = to[x]
			c.VPXORQ(sum[(x+3*y)%5], from[x], from[x]) // θ
		}
		turn := func(x int, to reg.VecPhysical) { // ρ
			if n := keccakOffset((x+3*y)%5, x); n != 0 {
				c.VPROLQ(operand.U8(n), from[x], to)
			} else {
				c.VMOVDQA64(from[x], to)
			}
		}
		// Each lane goes where the one before it was.
		step := 3 * y
		if y == 0 {
			step = 1 // all stay where they are
		}
		turn(0, first)
		for k := 1; k < 5; k++ {
			x := k * step % 5
			turn(x, to[x])
		}
		if y != 0 {
			c.VMOVDQA64(first, to[0])
		}

		// χ adds to a lane the product of the next but one with the complement of the next.
		const chi = operand.U8(0xd2) // a ^ ^b&c, of operands in the order c, b, a
		c.VMOVDQA64(to[1], second)
		c.VPTERNLOGQ(chi, to[2], to[1], to[0])
		c.VPTERNLOGQ(chi, to[3], to[2], to[1])
		c.VPTERNLOGQ(chi, to[4], to[3], to[2])
		c.VPTERNLOGQ(chi, first, to[4], to[3])
		c.VPTERNLOGQ(chi, second, first, to[4])
	}
	return after
}

// keccakOffset returns the number of bits by which ρ rotates the lane at x, y. It is (k+1)(k+2)/2
// for the k-th lane on the path of π from 1, 0 (k = 0), and 0 for the lane at 0, 0.
func keccakOffset(x, y int) int {
	for k, atX, atY := 0, 1, 0; k < 24; k++ {
		if x == atX && y == atY {
			return (k + 1) * (k + 2) / 2 % 64
		}
		atX, atY = atY, (2*atX+3*atY)%5
	}
	return 0
}

// KeccakConstants returns the constants of the rounds ("The Keccak reference", section 1.2): the
// bit at 2^j − 1 of the one of round i is bit 7i + j of the sequence of a linear feedback shift
// register modulo x^8 + x^6 + x^5 + x^4 + 1.
func KeccakConstants() (k [24]uint64) {
	lfsr := 1
	for i := range k {
		for j := range 7 {
			k[i] |= uint64(lfsr&1) << (1<<j - 1)
			if lfsr <<= 1; lfsr >= 1<<8 {
				lfsr ^= 0x171
			}
		}
	}
	return k
}

// keccakConstants returns the constants in memory.
func keccakConstants(c *build.Context) operand.Mem {
	m := c.StaticGlobal("keccakConstants")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, k := range KeccakConstants() {
		c.AddDatum(8*i, operand.U64(k))
	}
	return m
}
