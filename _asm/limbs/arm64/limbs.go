// Package arm64 writes arithmetic on numbers of four and eight 64-bit limbs as sequences of
// instructions, for all scalar kernels of arm64. Its functions have the names of those of package
// limbs, the one for amd64.
//
// A [Machine] is a list of instructions in which registers have fixed roles:
//
//	R0 R1 R2     P0 P1 P2, pointers, free for the kernel
//	R3 R4        the last products, a mask, or a carry
//	R5 … R12     W0 … W7, the 512-bit accumulator, least significant limb first
//	R13 … R16    A   three numbers of four limbs, for operands and results
//	R17 R19 … R21  B
//	R22 … R25    D
//	R26          c
//
// Since an instruction names its destination, functions write a result directly to the registers
// that the caller chooses. R18 and R27 to R30 belong to the system, the linker and Go.
//
// c is 2^256 − p = 2^32 + 977. Therefore 2^256 ≡ c modulo p.
package arm64

//ci:untested interp/contract runs every kernel.

import (
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

type (
	// Reg is a general register.
	Reg = arm64.Reg
	// Mem is a memory operand.
	Mem = arm64.Mem
)

// A Number is a list of the four registers that hold a number of four 64-bit limbs, and a Wide one
// of eight registers. The least significant limb comes first.
type (
	Number [4]Reg
	Wide   [8]Reg
)

// These variables name the registers by their roles in the table of the package comment.
var (
	P0, P1, P2 = arm64.R0, arm64.R1, arm64.R2

	lo, hi = arm64.R3, arm64.R4

	W = Wide{arm64.R5, arm64.R6, arm64.R7, arm64.R8, arm64.R9, arm64.R10, arm64.R11, arm64.R12}
	A = Number{arm64.R13, arm64.R14, arm64.R15, arm64.R16}
	B = Number{arm64.R17, arm64.R19, arm64.R20, arm64.R21}
	D = Number{arm64.R22, arm64.R23, arm64.R24, arm64.R25}
	c = arm64.R26

	// Low and High are the lower and the upper half of W, the 512-bit accumulator.
	Low, High = W.halves()
)

const zr = arm64.ZR

func (w Wide) halves() (low, high Number) { return Number(w[:4]), Number(w[4:]) }

// Join returns the number low + 2^256·high, which has eight limbs.
func Join(low, high Number) Wide { return Wide(append(low[:], high[:]...)) }

// A Machine is a list of instructions with methods for arithmetic on numbers.
type Machine struct {
	arm64.Code
	// Far is the label to which JumpIfZero jumps.
	Far string
	// rare is nil in constant-time kernels. In variable-time kernels it collects the code that
	// handles far carries, and Rest writes that code after the kernel. A far carry is one that goes
	// beyond the limbs that the inline code of Close, CloseSigned, Difference and ThreeHalves
	// corrects. Moving its handling out of line makes the inline code a third shorter. A random
	// number causes a far carry with probability 2^-60 in Close and CloseSigned, and 2^-31 in
	// Difference and ThreeHalves. An attacker can choose numbers that cause one every time.
	rare *[]func()
}

// New returns a machine that appends instructions to code. If vartime is set, its arithmetic takes
// variable time.
func New(code arm64.Code, vartime bool) Machine {
	m := Machine{Code: code}
	if vartime {
		m.rare = new([]func())
	}
	return m
}

// rarely writes code that executes some instructions only if the condition code cc holds. The
// function rest writes these instructions. In a variable-time kernel they are out of line and are
// jumped to. In a constant-time kernel they are inline.
func (m Machine) rarely(cc string, rest func()) {
	if m.rare == nil {
		rest()
		return
	}
	n := len(*m.rare)
	away, back := fmt.Sprintf("far%d", n), fmt.Sprintf("near%d", n)
	m.BCC(cc, away)
	m.Label(back)
	*m.rare = append(*m.rare, func() {
		m.Label(away)
		rest()
		m.B(back)
	})
}

// Rest writes the collected out-of-line code. The kernel calls it last.
func (m Machine) Rest() {
	if m.rare != nil {
		for _, rest := range *m.rare {
			rest()
		}
	}
}

// Constant sets R26 to c. It must come before every function that folds, that is, that replaces
// 2^256 by c.
func (m Machine) Constant() {
	m.MOVZ(limbs.C&0xffff, c)
	m.MOVK(limbs.C&^0xffff, c)
}

// Load copies a number from memory to registers, and Store copies one from registers to memory.
func (m Machine) Load(dst Number, src Mem) {
	m.LDP(src, dst[0], dst[1])
	m.LDP(src.Offset(16), dst[2], dst[3])
}

func (m Machine) Store(src Number, dst Mem) {
	m.STP(src[0], src[1], dst)
	m.STP(src[2], src[3], dst.Offset(16))
}

// Multiply sets w = x·y, 512 bits, row by row:
//
//	      y3    y2    y1    y0
//	                             · x_i
//	      l3    l2    l1    l0     low halves, added with one carry chain
//	h3    h2    h1    h0           high halves, added with a second chain
//
// A row first adds its low halves; their final carry is added together with the highest sum. The
// last use of x_i comes before limb i + 4 of w is written, so x may be the high half of w. y shares
// no register with w.
func (m Machine) Multiply(w Wide, x, y Number) {
	m.MUL(x[0], y[0], w[0])
	m.UMULH(x[0], y[0], w[1])
	m.MUL(x[0], y[1], lo)
	m.UMULH(x[0], y[1], w[2])
	m.ADDS(lo, w[1], w[1])
	m.MUL(x[0], y[2], lo)
	m.UMULH(x[0], y[2], w[3])
	m.ADCS(lo, w[2], w[2])
	m.MUL(x[0], y[3], lo)
	m.UMULH(x[0], y[3], w[4])
	m.ADCS(lo, w[3], w[3])
	m.ADC(zr, w[4], w[4])
	for i := 1; i < 4; i++ {
		add := m.First()
		for j := range 4 {
			m.MUL(x[i], y[j], lo)
			add(lo, w[i+j], w[i+j])
		}
		m.ADC(zr, zr, hi)
		add = m.First()
		for j := range 3 {
			m.UMULH(x[i], y[j], lo)
			add(lo, w[i+j+1], w[i+j+1])
		}
		m.UMULH(x[i], y[3], w[i+4])
		m.ADC(hi, w[i+4], w[i+4])
	}
}

// First returns a function for one carry chain. Each call of that function writes an addition: the
// first call one without a carry in, and each later call one that also adds the carry of the
// addition before.
func (m Machine) First() func(b, a, to Reg) {
	begun := false
	return func(b, a, to Reg) {
		if begun {
			m.ADCS(b, a, to)
		} else {
			m.ADDS(b, a, to)
		}
		begun = true
	}
}

// Square sets w = x², 512 bits. First it adds the products of different limbs, with one carry chain
// for each row:
//
//	   x1x3  x0x2
//	      x0x3
//	x2x3  x1x2  x0x1
//
// Then it doubles the sum and adds the squares of the limbs. x shares no register with w.
func (m Machine) Square(w Wide, x Number) {
	// The first sum starts at limb 2: the registers w0, w7, lo and hi, from the lowest limb to the
	// highest, become x0x2 + x0x3·2^64 + x1x3·2^128.
	m.MUL(x[0], x[2], w[0])
	m.UMULH(x[0], x[2], w[7])
	m.MUL(x[0], x[3], lo)
	m.UMULH(x[0], x[3], hi)
	m.ADDS(lo, w[7], w[7])
	m.MUL(x[1], x[3], lo)
	m.ADCS(hi, lo, lo)
	m.UMULH(x[1], x[3], hi)
	m.ADC(zr, hi, hi)
	for k, at := range []int{1, 3, 5} {
		m.MUL(x[k], x[k+1], w[at])
		m.UMULH(x[k], x[k+1], w[at+1])
	}
	m.ADDS(w[0], w[2], w[2])
	m.ADCS(w[7], w[3], w[3])
	m.ADCS(lo, w[4], w[4])
	m.ADCS(hi, w[5], w[5])
	m.ADC(zr, w[6], w[6])

	add := m.First()
	for k := 1; k < 7; k++ {
		add(w[k], w[k], w[k])
	}
	m.ADC(zr, zr, w[7])
	m.MUL(x[0], x[0], w[0])
	m.UMULH(x[0], x[0], lo)
	m.ADDS(lo, w[1], w[1])
	for k := 1; k < 4; k++ {
		m.MUL(x[k], x[k], lo)
		m.UMULH(x[k], x[k], hi)
		m.ADCS(lo, w[2*k], w[2*k])
		if k < 3 {
			m.ADCS(hi, w[2*k+1], w[2*k+1])
		} else {
			m.ADC(hi, w[7], w[7])
		}
	}
}

// SubtractWide sets W to W − y modulo 2^512. It sets the register borrow to c if y > W, and to 0
// otherwise. FoldSigned uses this W and this borrow. borrow may be the register of a limb of y.
func (m Machine) SubtractWide(y Wide, borrow Reg) {
	m.SUBS(y[0], W[0], W[0])
	for i := 1; i < 8; i++ {
		m.SBCS(y[i], W[i], W[i])
	}
	m.CSEL("LO", c, zr, borrow)
}

// Fold adds c times the high half of W to the low half. The result is the five limbs (W4, v), with
// W4 at the top, congruent to W modulo p. W4 is at most c, because c·(2^256 − 1) + 2^256 − 1 is
// below (c + 1)·2^256. v is Low, A, B or D.
//
//	      W3    W2    W1    W0
//	      l7    l6    l5    l4       low halves of c·W7 … c·W4
//	h7    h6    h5    h4             high halves
func (m Machine) Fold(v Number) {
	add := m.First()
	for i := range 4 {
		m.MUL(W[i+4], c, lo)
		add(lo, W[i], v[i])
	}
	m.UMULH(W[7], c, hi)
	m.ADC(zr, hi, hi)
	add = m.First()
	for i := range 3 {
		m.UMULH(W[i+4], c, lo)
		add(lo, v[i+1], v[i+1])
	}
	m.ADC(zr, hi, W[4])
}

// FoldSigned does the work of Fold for the W and the register borrow that SubtractWide leaves. If
// the subtraction borrowed 2^512, W is too large by 2^512 ≡ c·2^256, and FoldSigned subtracts c
// from W4. The result has −c ≤ W4 ≤ c, as a signed number.
func (m Machine) FoldSigned(v Number, borrow Reg) {
	m.Fold(v)
	m.SUB(borrow, W[4], W[4])
}

// Subtract subtracts y from the number of five limbs (W4, v). W4 is a signed limb.
func (m Machine) Subtract(v, y Number) {
	m.SUBS(y[0], v[0], v[0])
	for i := 1; i < 4; i++ {
		m.SBCS(y[i], v[i], v[i])
	}
	m.SBC(zr, W[4], W[4])
}

// Close reduces the number (W4, v) modulo p to the four limbs v, for 0 ≤ W4 < 2^35. It adds c·W4 <
// 2^68 to v. If this carries out of v3, the remaining v is less than 2^68, so adding c for the
// carry (the third fold) cannot carry beyond v1.
func (m Machine) Close(v Number) {
	m.MUL(W[4], c, lo)
	m.UMULH(W[4], c, hi)
	m.ADDS(lo, v[0], v[0])
	m.ADCS(hi, v[1], v[1])
	m.rarely("HS", func() {
		m.ADCS(zr, v[2], v[2])
		m.ADCS(zr, v[3], v[3])
		m.CSEL("HS", c, zr, lo)
		m.ADDS(lo, v[0], v[0])
		m.ADC(zr, v[1], v[1])
	})
}

// CloseSigned is Close for a signed W4 with |W4| < 2^35. The sum of v and c·W4 is less than 2^68
// away from the interval [0, 2^256). So at most one multiple of 2^256, which is c modulo p, must be
// added or subtracted. Correcting this cannot carry or borrow beyond v1: v is less than 2^68 after
// a carry, and at least 2^256 − 2^68 after a borrow.
func (m Machine) CloseSigned(v Number) {
	m.MUL(W[4], c, lo)
	m.SMULH(W[4], c, hi)
	m.ASR(arm64.Imm(63), W[4], W[4])
	m.ADDS(lo, v[0], v[0])
	m.ADCS(hi, v[1], v[1])
	if m.rare != nil {
		m.ADCS(zr, W[4], W[4]) // sign plus carry; 0 if they cancel
		m.rarely("NE", func() {
			m.ASR(arm64.Imm(63), W[4], hi)
			m.ADDS(W[4], v[2], v[2])
			m.ADCS(hi, v[3], v[3])
			m.ADC(zr, hi, W[4])
			m.correct(v)
		})
		return
	}
	m.ADCS(W[4], v[2], v[2])
	m.ADCS(W[4], v[3], v[3])
	m.ADC(zr, W[4], W[4])
	m.correct(v)
}

// correct adds c times the register W[4] to v, where c is 2^256 modulo p, and the register holds 1,
// 0 or −1. The caller ensures that the carry or borrow stays within v0 and v1.
func (m Machine) correct(v Number) {
	m.MUL(W[4], c, lo)
	m.ASR(arm64.Imm(63), W[4], hi)
	m.ADDS(lo, v[0], v[0])
	m.ADC(hi, v[1], v[1])
}

// ThreeHalves multiplies the number (W4, v) by 3/2 modulo p, for 0 ≤ W4 ≤ c; afterwards W4 ≤
// 2c. If the number is odd, it first adds p = 2^256 − c. Then it adds half of the number to the
// number.
func (m Machine) ThreeHalves(v Number) {
	m.TST(arm64.Imm(1), v[0])
	m.CSEL("NE", c, zr, lo)
	m.CSINC("EQ", W[4], W[4], W[4])
	m.SUBS(lo, v[0], v[0])
	m.rarely("LO", func() {
		for i := 1; i < 4; i++ {
			m.SBCS(zr, v[i], v[i])
		}
		m.SBC(zr, W[4], W[4])
	})
	half := [5]Reg{lo, hi, W[5], W[6], W[7]}
	x := [5]Reg{v[0], v[1], v[2], v[3], W[4]}
	for i := range 4 {
		m.EXTR(1, x[i], x[i+1], half[i])
	}
	m.LSR(arm64.Imm(1), W[4], half[4])
	add := m.First()
	for i := range 4 {
		add(half[i], v[i], v[i])
	}
	m.ADC(half[4], W[4], W[4])
}

// Product sets v ≡ x·y modulo p. x and y must be as Multiply requires, and v as Fold requires.
func (m Machine) Product(v, x, y Number) {
	m.Multiply(W, x, y)
	m.Fold(v)
	m.Close(v)
}

// SquareOf sets v ≡ x² modulo p.
func (m Machine) SquareOf(v, x Number) {
	m.Square(W, x)
	m.Fold(v)
	m.Close(v)
}

// Difference sets v ≡ x − y modulo p. If x < y, it subtracts c to correct the borrow. If that
// borrows again, the number is at least 2^256 − c, so subtracting c once more cannot borrow beyond
// v0.
func (m Machine) Difference(v, x, y Number) {
	m.SUBS(y[0], x[0], v[0])
	for i := 1; i < 4; i++ {
		m.SBCS(y[i], x[i], v[i])
	}
	m.CSEL("LO", c, zr, lo)
	m.SUBS(lo, v[0], v[0])
	m.rarely("LO", func() {
		for i := 1; i < 4; i++ {
			m.SBCS(zr, v[i], v[i])
		}
		m.CSEL("LO", c, zr, lo)
		m.SUB(lo, v[0], v[0])
	})
}

// JumpIfZero jumps to Far if v may be 0 modulo p, that is, if v0 is 0 or the lowest limb of p,
// which is −c. The code at Far then checks all limbs. A random nonzero v has such a v0 with
// probability 2^-63.
func (m Machine) JumpIfZero(v Number) {
	m.CBZ(v[0], m.Far)
	m.CMN(c, v[0])
	m.BCC("EQ", m.Far)
}
