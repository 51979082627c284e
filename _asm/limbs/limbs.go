// Package limbs writes arithmetic on numbers of four and eight 64-bit limbs as sequences of
// instructions, for all scalar kernels of amd64.
//
// A [Machine] is an avo context in which registers have fixed roles:
//
//	R8 … R15   W0 … W7, the 512-bit accumulator, least significant limb first
//	DX         the factor of MULX
//	AX, BX     the halves of the last product
//	CX         a mask, or zero
//	SI, DI     free for the kernel
//
// BP remains the frame pointer. The comment of each function states which limbs of W it sets. Go
// calls these functions by ABI0, through wrappers that restore R14, the goroutine pointer of Go's
// own convention. So kernels may use R14. They may use R15 too: in shared libraries, only accesses
// to global data overwrite it, and the interpreter stops a kernel that would read it afterwards.
//
// MULX, MOV, SHLX and SHRX change no flags, so a carry survives them. XOR clears CF and OF.
//
// c is 2^256 − p = 2^32 + 977. Therefore 2^256 ≡ c modulo p.
package limbs

//ci:untested interp/contract runs every kernel.

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These variables name the registers by their roles in the table of the package comment.
var (
	W = [8]reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}

	Factor = reg.RDX
	Lo     = reg.RAX
	Hi     = reg.RBX
	Mask   = reg.RCX
	P0     = reg.RSI
	P1     = reg.RDI
)

// A Machine is an avo context with methods for arithmetic on numbers.
type Machine struct {
	*build.Context
	// Far is a label of a variable-time kernel, or empty. If Far is set, Close, CloseSigned,
	// Difference and ThreeHalves correct only the lowest limbs, which takes a third fewer
	// instructions. They jump to Far when a carry goes beyond those limbs. There the kernel reports
	// that its caller must compute the result in another way.
	//
	// A random number causes such a carry with probability 2^-60 in Close and CloseSigned, and
	// 2^-31 in Difference and ThreeHalves. An attacker can choose numbers that cause one every
	// time.
	Far string
}

// far writes a jump to the label Far, with the given conditional jump instruction.
func (m Machine) far(jump func(operand.Op)) { jump(operand.LabelRef(m.Far)) }

// A Number is the location of four limbs, in registers or in memory.
type Number [4]operand.Op

// At returns the number in memory at offset bytes above the address m.
func At(m operand.Mem, offset int) Number {
	var n Number
	for i := range n {
		n[i] = m.Offset(offset + 8*i)
	}
	return n
}

// Pointer returns the memory operand at the address in r.
func Pointer(r reg.Register) operand.Mem { return operand.Mem{Base: r} }

// Low returns the registers W3 … W0, the lower half of the accumulator, as a Number.
func Low() Number { return Number{W[0], W[1], W[2], W[3]} }

// clear sets r to zero and clears both carry flags, CF and OF.
func (m Machine) clear(r reg.GPPhysical) { m.XORL(r.As32(), r.As32()) }

// Load copies the number src into the registers dst.
func (m Machine) Load(dst, src Number) {
	for i := range src {
		m.MOVQ(src[i], dst[i])
	}
}

// Store writes the registers W3 … W0 to memory.
func (m Machine) Store(dst Number) {
	for i := range dst {
		m.MOVQ(W[i], dst[i])
	}
}

// StoreWide writes the registers W7 … W0 to memory.
func (m Machine) StoreWide(dst operand.Mem) {
	for i := range W {
		m.MOVQ(W[i], dst.Offset(8*i))
	}
}

// Multiply sets W = x·y, 512 bits, row by row:
//
//	      y3    y2    y1    y0
//	                             · x_i
//	      l3    l2    l1    l0     low halves, added with one carry chain (CF)
//	h3    h2    h1    h0           high halves, added with a second chain (OF)
//
// Row i is added to W from limb i up. The limb above the highest low half is zero before the row is
// added. The last carries of a row are clear: the four limbs of W before it are at most 2^256 − 1,
// and adding x_i·y, at most (2^64 − 1)·(2^256 − 1), gives less than 2^320, the five limbs of the
// row. x and y are in memory, or in registers other than W, AX, BX and DX.
func (m Machine) Multiply(x, y Number) {
	m.Row([5]reg.GPPhysical(W[:5]), x[0], y)
	for i := 1; i < 4; i++ {
		m.MOVQ(x[i], Factor)
		m.clear(W[i+4])
		for j := range 4 {
			m.MULXQ(y[j], Lo, Hi)
			m.ADCXQ(Lo, W[i+j])
			m.ADOXQ(Hi, W[i+j+1])
		}
		m.ADCQ(operand.I8(0), W[i+4])
	}
}

// Row sets w = x·y, five limbs, for an x of one limb. The product is less than 2^320, so the last
// addition does not carry.
func (m Machine) Row(w [5]reg.GPPhysical, x operand.Op, y Number) {
	m.MOVQ(x, Factor)
	m.MULXQ(y[0], w[0], w[1])
	m.MULXQ(y[1], Lo, w[2])
	m.ADDQ(Lo, w[1])
	m.MULXQ(y[2], Lo, w[3])
	m.ADCQ(Lo, w[2])
	m.MULXQ(y[3], Lo, w[4])
	m.ADCQ(Lo, w[3])
	m.ADCQ(operand.I8(0), w[4])
}

// Square sets W = x², 512 bits. First it adds the products of different limbs, in two carry chains:
//
//	            x0x3  x0x2  x0x1
//	      x1x3  x1x2                 CF: x0x1 x0x2 x0x3 x1x3 x2x3
//	x2x3                             OF: x1x2
//
// Then it doubles the sum with the CF chain, and adds the squares of the limbs with the OF chain. x
// is in memory or in registers. In registers, x0 is in W0, x3 is in W7, and x1 and x2 are in
// neither W nor AX, BX, CX, DX.
func (m Machine) Square(x Number) {
	m.clear(Mask)
	m.MOVQ(x[0], Factor)
	m.MULXQ(x[1], W[1], W[2])
	m.MULXQ(x[2], Lo, W[3])
	m.ADCXQ(Lo, W[2])
	m.MULXQ(x[3], Lo, W[4])
	m.ADCXQ(Lo, W[3])
	m.MOVQ(x[1], Factor)
	m.MULXQ(x[3], Lo, W[5])
	m.ADCXQ(Lo, W[4])
	m.MULXQ(x[2], Lo, Hi)
	m.ADOXQ(Lo, W[3])
	m.ADOXQ(Hi, W[4])
	m.MOVQ(x[2], Factor)
	m.MULXQ(x[3], Lo, W[6])
	m.ADCXQ(Lo, W[5])
	m.ADOXQ(Mask, W[5])
	m.ADCXQ(Mask, W[6])
	m.ADOXQ(Mask, W[6])

	m.clear(Mask)
	m.MOVQ(x[0], Factor)
	m.MULXQ(Factor, W[0], Hi)
	m.ADCXQ(W[1], W[1])
	m.ADOXQ(Hi, W[1])
	for i := 1; i < 3; i++ {
		m.MOVQ(x[i], Factor)
		m.MULXQ(Factor, Lo, Hi)
		m.ADCXQ(W[2*i], W[2*i])
		m.ADOXQ(Lo, W[2*i])
		m.ADCXQ(W[2*i+1], W[2*i+1])
		m.ADOXQ(Hi, W[2*i+1])
	}
	m.MOVQ(x[3], Factor)
	m.MULXQ(Factor, Lo, W[7])
	m.ADCXQ(W[6], W[6])
	m.ADOXQ(Lo, W[6])
	m.ADCXQ(Mask, W[7])
	m.ADOXQ(Mask, W[7])
}

// SubtractWide sets W to W − y modulo 2^512, for a 512-bit y in memory. It sets CX, the mask of the
// borrow, to all ones if y > W, and to 0 otherwise. FoldSigned uses this W and this mask.
func (m Machine) SubtractWide(y operand.Mem) {
	m.SUBQ(y, W[0])
	for i := 1; i < 8; i++ {
		m.SBBQ(y.Offset(8*i), W[i])
	}
	m.SBBQ(Mask, Mask)
}

// Fold adds c times the high half of W to the low half. The result is the five limbs W4 … W0,
// congruent to the old W modulo p. W4 is at most c, because the sum is at most c·(2^256 − 1) +
// 2^256 − 1, which is below (c + 1)·2^256. So adding the last two carries to W4, one from each
// chain, cannot carry. Fold sets DX = c.
//
//	      W3    W2    W1    W0
//	      l7    l6    l5    l4       low halves of c·W7 … c·W4, CF
//	h7    h6    h5    h4             high halves, OF
func (m Machine) Fold() {
	m.MOVQ(operand.U64(C), Factor)
	m.clear(Mask)
	m.foldRows()
	m.ADCXQ(Mask, W[4])
	m.ADOXQ(Mask, W[4])
}

// foldRows does the work of Fold except for its last step: it leaves two carries, in CF and OF,
// that the caller must add to W4. On entry DX = c, and CF and OF are clear.
func (m Machine) foldRows() {
	for i := range 3 {
		m.MULXQ(W[i+4], Lo, Hi)
		m.ADCXQ(Lo, W[i])
		m.ADOXQ(Hi, W[i+1])
	}
	m.MULXQ(W[7], Lo, W[4])
	m.ADCXQ(Lo, W[3])
}

// FoldSigned does the work of Fold for the W and the mask CX that SubtractWide leaves. If the
// subtraction borrowed 2^512, W is too large by 2^512 ≡ c·2^256, and FoldSigned subtracts c from
// W4. The result has −c ≤ W4 ≤ c, as a signed number. FoldSigned sets DX = c.
func (m Machine) FoldSigned() {
	m.MOVQ(operand.U64(C), Factor)
	m.clear(Lo)
	m.foldRows()
	m.MOVL(operand.U32(0), W[5].As32()) // unlike XOR, MOV keeps the carry flags
	m.ADCXQ(W[5], W[4])
	m.ADOXQ(W[5], W[4])
	m.ANDQ(Factor, Mask)
	m.SUBQ(Mask, W[4])
}

// Subtract subtracts y from the number of five limbs W4 … W0. W4 is a signed limb.
func (m Machine) Subtract(y Number) {
	m.SUBQ(y[0], W[0])
	for i := 1; i < 4; i++ {
		m.SBBQ(y[i], W[i])
	}
	m.SBBQ(operand.I8(0), W[4])
}

// Close reduces the five limbs W4 … W0 modulo p to the four limbs W3 … W0, for DX = c and 0 ≤ W4 <
// 2^35. Fold leaves less than 2^33; the rest is for formulas that compute with the five limbs
// before Close. It adds c·W4 < 2^68. If this carries out of W3, the remaining W3 … W0 is less than
// 2^68, so adding c for the carry (the third fold) cannot carry beyond W1.
func (m Machine) Close() {
	m.MULXQ(W[4], Lo, Hi)
	if m.Far != "" {
		m.ADDQ(Lo, W[0])
		m.ADCQ(Hi, W[1])
		m.far(m.JCS)
		return
	}
	m.clear(Mask)
	m.ADDQ(Lo, W[0])
	m.ADCQ(Hi, W[1])
	m.ADCQ(operand.I8(0), W[2])
	m.ADCQ(operand.I8(0), W[3])
	m.CMOVQCS(Factor, Mask)
	m.ADDQ(Mask, W[0])
	m.ADCQ(operand.I8(0), W[1])
}

// CloseSigned is Close for a signed W4 with |W4| < 2^35. The sum of W3 … W0 and c·W4 is less than
// 2^68 away from the interval [0, 2^256). So at most one multiple of 2^256, which is c modulo p,
// must be added or subtracted. Correcting this cannot carry or borrow beyond W1: W3 … W0 is less
// than 2^68 after a carry, and at least 2^256 − 2^68 after a borrow.
func (m Machine) CloseSigned() {
	m.MOVQ(Factor, W[5])
	m.MOVQ(W[4], Lo)
	m.IMULQ(Factor) // sets DX:AX = c·W4
	m.SARQ(operand.U8(63), W[4])
	m.ADDQ(Lo, W[0])
	m.ADCQ(reg.RDX, W[1])
	if m.Far != "" {
		m.ADCQ(operand.I8(0), W[4]) // sign plus carry; 0 if they cancel
		m.far(m.JNE)
		return
	}
	m.ADCQ(W[4], W[2])
	m.ADCQ(W[4], W[3])
	m.ADCQ(operand.I8(0), W[4]) // W4 counts the multiples of 2^256 to correct: 1, 0 or −1
	m.MOVQ(W[4], Lo)
	m.SARQ(operand.U8(63), Lo)
	m.IMULQ(W[5], W[4])
	m.ADDQ(W[4], W[0])
	m.ADCQ(Lo, W[1])
}

// ThreeHalves multiplies W4 … W0 by 3/2 modulo p, for DX = c and 0 ≤ W4 ≤ c; afterwards W4 ≤ 2c. If
// the number is odd, it first adds p = 2^256 − c. Then it adds half of the number, that is, the
// number shifted right by one bit, to the number. One carry chain adds the bits that stay in their
// limb. A second chain adds the lowest bit of each limb, which moves to the limb below.
func (m Machine) ThreeHalves() {
	m.MOVQ(W[0], Hi)
	m.ANDL(operand.U8(1), Hi.As32())
	m.MOVQ(Hi, Lo)
	m.NEGQ(Lo)
	m.ANDQ(Factor, Lo)
	m.ADDQ(Hi, W[4])
	m.SUBQ(Lo, W[0])
	if m.Far != "" {
		m.far(m.JCS)
	} else {
		for i := 1; i < 5; i++ {
			m.SBBQ(operand.I8(0), W[i])
		}
	}
	m.MOVL(operand.U32(63), Mask.As32())
	m.MOVL(operand.U32(1), W[5].As32())
	m.clear(Lo)
	for i := range 4 {
		m.SHRXQ(W[5], W[i], Lo)
		m.SHLXQ(Mask, W[i+1], Hi)
		m.ADCXQ(Lo, W[i])
		m.ADOXQ(Hi, W[i])
	}
	m.SHRXQ(W[5], W[4], Lo)
	m.MOVL(operand.U32(0), Hi.As32())
	m.ADCXQ(Lo, W[4])
	m.ADOXQ(Hi, W[4])
}

// Product sets W3 … W0 ≡ x·y modulo p.
func (m Machine) Product(x, y Number) {
	m.Multiply(x, y)
	m.Fold()
	m.Close()
}

// StoreProduct writes a number congruent to x·y modulo p to dst, in memory, and StoreSquare writes
// one congruent to x². Both leave the number in W3 … W0.
func (m Machine) StoreProduct(dst, x, y Number) {
	m.Product(x, y)
	m.Store(dst)
}

func (m Machine) StoreSquare(dst, x Number) {
	m.SquareOf(x)
	m.Store(dst)
}

// SquareOf sets W3 … W0 ≡ x² modulo p.
func (m Machine) SquareOf(x Number) {
	m.Square(x)
	m.Fold()
	m.Close()
}

// Difference sets W3 … W0 ≡ x − y modulo p. If x < y, it subtracts c to correct the borrow. If that
// borrows again, the number is at least 2^256 − c, so subtracting c once more cannot borrow beyond
// W0.
func (m Machine) Difference(x, y Number) {
	m.Load(Low(), x)
	m.MOVQ(operand.U64(C), Factor)
	m.clear(Lo)
	m.SUBQ(y[0], W[0])
	for i := 1; i < 4; i++ {
		m.SBBQ(y[i], W[i])
	}
	m.CMOVQCS(Factor, Lo)
	if m.Far != "" {
		m.SUBQ(Lo, W[0])
		m.far(m.JCS)
		return
	}
	m.MOVL(operand.U32(0), Hi.As32())
	m.SUBQ(Lo, W[0])
	for i := 1; i < 4; i++ {
		m.SBBQ(operand.I8(0), W[i])
	}
	m.CMOVQCS(Factor, Hi)
	m.SUBQ(Hi, W[0])
}
