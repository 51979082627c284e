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
		Doc: "absorbAVX512 adds blocks[j] to Keccak state j, and then applies\n" +
			"Keccak-f[1600] to it, for eight states. Lane (x, y) of state j is state[x +\n" +
			"5y][j]. If bit j of keep is 0, state j is taken as all zeros before the\n" +
			"addition. No block may overlap state.",
		ConstantTime: true,
		Build:        keccakAbsorb,
	}}
}

// keccakRate is the number of 64-bit words in a block of Keccak-256.
const keccakRate = 17

// keccakAbsorb writes the kernel that absorbs blocks into eight Keccak states. Each of the 25 lanes
// of a state is a 64-bit word; one register holds the same lane of all eight states.
//
// A round has 95 computing instructions and 15 copies, which register renaming makes free. On a CPU
// with four 512-bit vector pipes a round takes 24 cycles, and with two pipes 48.
func keccakAbsorb(c *build.Context) {
	state, blocks := operand.Mem{Base: reg.RDI}, operand.Mem{Base: reg.RSI}
	argument(c, "state", reg.RDI)
	argument(c, "blocks", reg.RSI)
	c.Load(c.Param("keep"), reg.RAX)
	c.KMOVW(reg.EAX, reg.K1)

	// The temporary registers t are the lowest ones, because in AVX-512F some of the instructions
	// on them cannot encode registers from 16 up.
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
	for i := range 4 { // after four rounds, each lane is in its original register again
		a = keccakRound(c, a, t)
		c.VPXORQ_BCST(operand.Mem{Base: constants, Disp: 8 * i}, a[0], a[0]) // step ι of the round
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

// keccakLoad sets words[i] to word i of each of eight blocks, in order. It loads four words of all
// blocks at a time, into four registers with the halves
//
//	block 0 | 2    block 1 | 3    block 4 | 6    block 5 | 7
//
// Unpack instructions interleave the words of two registers. The register for words 0 and 2 of
// blocks 0 to 3 is
//
//	words 0 of 0, 1 | words 2 of 0, 1 | words 0 of 2, 3 | words 2 of 2, 3
//
// and a second register has the same words of blocks 4 to 7. The even quarters of these two
// registers are all words 0, and the odd quarters all words 2. Words 1 and 3 are handled alike.
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

// keccakRound writes all steps of a Keccak round except ι. The lane at (x, y) is in a[x + 5y].
// keccakRound returns the registers of the lanes after the round. t has seven scratch registers.
//
// One VPTERNLOGQ could add both parities of θ to a lane without computing their sum, and ρ could
// write each lane to the register that π chooses. This saves five instructions, but it took 30 %
// longer in the order of steps used here (docs/lab/hashes.md).
func keccakRound(c *build.Context, a, t []reg.VecPhysical) (after []reg.VecPhysical) {
	// Step θ adds two parities to each lane of a column: that of the column on the left, and that
	// of the column on the right, rotated by one bit. The columns are processed in an order in
	// which each sum can overwrite a parity that is no longer needed.
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

	// Step π moves the five lanes in the array from, one of each column, to row y of the result.
	// Lane x of this row is written to the register of that one of the five lanes which was in
	// column x: to[x] is from[x + 2y]. So only these five registers are overwritten. The lane at
	// (x, y) is then in the register that held the lane at (x, x + 2y); after four rounds every
	// lane is in its own register again.
	after = make([]reg.VecPhysical, len(a))
	first, second := t[4], t[6]
	for y := range 5 {
		var from, to [5]reg.VecPhysical
		for x := range 5 {
			from[x], to[x] = a[(x+3*y)%5+5*x], a[x+5*((x+2*y)%5)]
			after[x+5*y] = to[x]
			c.VPXORQ(sum[(x+3*y)%5], from[x], from[x]) // step θ
		}
		turn := func(x int, to reg.VecPhysical) { // step ρ for the lane from[x]
			if n := keccakOffset((x+3*y)%5, x); n != 0 {
				c.VPROLQ(operand.U8(n), from[x], to)
			} else {
				c.VMOVDQA64(from[x], to)
			}
		}
		// The moves follow a cycle of registers: each lane goes to the register of the lane that
		// was moved before it. The first lane waits in a scratch register.
		step := 3 * y
		if y == 0 {
			step = 1 // in row y = 0 every lane stays in its register
		}
		turn(0, first)
		for k := 1; k < 5; k++ {
			x := k * step % 5
			turn(x, to[x])
		}
		if y != 0 {
			c.VMOVDQA64(first, to[0])
		}

		// Step χ adds to each lane: (NOT next lane) AND the lane after that.
		const chi = operand.U8(0xd2) // computes a ^ ^b&c, for operands in the order c, b, a
		c.VMOVDQA64(to[1], second)
		c.VPTERNLOGQ(chi, to[2], to[1], to[0])
		c.VPTERNLOGQ(chi, to[3], to[2], to[1])
		c.VPTERNLOGQ(chi, to[4], to[3], to[2])
		c.VPTERNLOGQ(chi, first, to[4], to[3])
		c.VPTERNLOGQ(chi, second, first, to[4])
	}
	return after
}

// keccakOffset returns the number of bits by which step ρ rotates the lane at (x, y). For the k-th
// lane on the path that step π takes from (1, 0), counted from k = 0, it is (k+1)(k+2)/2 modulo 64.
// For the lane at (0, 0) it is 0.
func keccakOffset(x, y int) int {
	for k, atX, atY := 0, 1, 0; k < 24; k++ {
		if x == atX && y == atY {
			return (k + 1) * (k + 2) / 2 % 64
		}
		atX, atY = atY, (2*atX+3*atY)%5
	}
	return 0
}

// KeccakConstants returns the round constants of Keccak ("The Keccak reference", section 1.2). Bit
// 2^j − 1 of the constant of round i is bit 7i + j of the sequence of a linear feedback shift
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

// keccakConstants returns read-only data with the round constants of Keccak.
func keccakConstants(c *build.Context) operand.Mem {
	m := c.StaticGlobal("keccakConstants")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, k := range KeccakConstants() {
		c.AddDatum(8*i, operand.U64(k))
	}
	return m
}
