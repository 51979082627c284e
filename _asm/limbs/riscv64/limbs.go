// Package riscv64 writes arithmetic on numbers of four and eight 64-bit limbs as sequences of
// instructions, for all scalar kernels of riscv64. Its functions have the names of those of package
// limbs, the one for amd64.
//
// Functions return numbers in virtual registers, so that code reads like the formula.
// [Machine.Order] chooses the registers and the order of the instructions when a list is complete.
// The instruction set has no flags: the carry of a sum is 1 if the sum is less than a summand, and
// the borrow of a difference is 1 if the minuend is less than the subtrahend.
//
// c is 2^256 − p = 2^32 + 977. Therefore 2^256 ≡ c modulo p.
package riscv64

//ci:untested interp/contract runs every kernel.

import (
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/_asm/listing/inorder"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

type (
	// Reg is a general register.
	Reg = riscv64.Reg
	// Mem is a memory operand.
	Mem = riscv64.Mem
)

// A Number is a list of the four registers that hold a number of four 64-bit limbs, least
// significant limb first. A Folded has a fifth limb, which is small. A Wide has eight limbs.
type (
	Number [4]Reg
	Folded [5]Reg
	Wide   [8]Reg
)

const zero = riscv64.ZERO

// size is the size in bytes of a Number in memory.
const size = 32

// A Machine is a list of instructions with methods for arithmetic on numbers.
type Machine struct {
	riscv64.Code
	c    Reg
	from int
	pool []Reg
	*shared
}

// shared is the state that a machine shares with the machines that its method Next returns.
type shared struct {
	last    Reg // last virtual register in use
	vartime bool
	// rare is empty in constant-time kernels. In variable-time kernels it collects the code that
	// handles far carries, and Rest writes that code after the kernel. A far carry is one that goes
	// beyond the limbs that the inline code of Close, Difference and ThreeHalves corrects. Moving
	// its handling out of line makes the inline code a third shorter. A random number causes a far
	// carry with probability 2^-60 in Close, and 2^-31 in Difference and ThreeHalves. An attacker
	// can choose numbers that cause one every time.
	rare  []rare
	exits bool // whether JumpIfZero has written a jump to its label
}

// New returns a machine that appends instructions to code. These instructions may use virtual
// registers. kept lists the physical registers that the kernel itself uses.
func New(code riscv64.Code, vartime bool, kept ...Reg) Machine {
	m := Machine{Code: code, from: code.Len()}
	m.shared = &shared{last: inorder.Virtual, vartime: vartime}
	for r := riscv64.X5; r <= riscv64.X30; r++ {
		if r.Writable() && !slices.Contains(kept, r) {
			m.pool = append(m.pool, r)
		}
	}
	return m
}

// Constant sets a register to c. The register is dst if given, or else a virtual one. Constant must
// come before every function that folds, that is, that replaces 2^256 by c.
func (m *Machine) Constant(dst ...Reg) {
	m.c = m.virtual()
	if len(dst) > 0 {
		m.c = dst[0]
	}
	one, high := m.virtual(), m.virtual()
	m.ADDI(1, zero, one)
	m.SLLI(32, one, high)
	m.ADDI(limbs.C&0xffff, high, m.c)
}

// Next returns a machine that starts a new list of instructions at the current end of the code. It
// uses the same register for the constant c as m.
func (m Machine) Next() Machine {
	m.from = m.Len()
	return m
}

// Exits reports whether JumpIfZero has written a jump to its label.
func (m Machine) Exits() bool { return m.exits }

func (m Machine) virtual() Reg {
	m.last++
	return m.last
}

// Each of the following functions writes one instruction and returns the virtual register of its
// result.

func (m Machine) add(a, b Reg) Reg      { r := m.virtual(); m.ADD(b, a, r); return r }
func (m Machine) sub(a, b Reg) Reg      { r := m.virtual(); m.SUB(b, a, r); return r }
func (m Machine) less(a, b Reg) Reg     { r := m.virtual(); m.SLTU(b, a, r); return r }
func (m Machine) or(a, b Reg) Reg       { r := m.virtual(); m.OR(b, a, r); return r }
func (m Machine) low(a, b Reg) Reg      { r := m.virtual(); m.MUL(b, a, r); return r }
func (m Machine) high(a, b Reg) Reg     { r := m.virtual(); m.MULHU(b, a, r); return r }
func (m Machine) addi(a Reg, n int) Reg { r := m.virtual(); m.ADDI(riscv64.Imm(n), a, r); return r }
func (m Machine) left(a Reg, n int) Reg { r := m.virtual(); m.SLLI(riscv64.Imm(n), a, r); return r }
func (m Machine) right(a Reg, n int) Reg {
	r := m.virtual()
	m.SRLI(riscv64.Imm(n), a, r)
	return r
}

// Pointer loads the argument with the given name, a pointer or an integer, into a register.
func (m Machine) Pointer(name string) Reg {
	r := m.virtual()
	m.Argument(name, r)
	return r
}

// Load copies a number from memory to registers, and Store copies one from registers to memory.
func (m Machine) Load(src Mem) (v Number) {
	for i := range v {
		v[i] = m.virtual()
		m.LD(src.Offset(8*i), v[i])
	}
	return v
}

// LoadInto copies a number from memory to registers of the kernel. Move copies one from virtual
// registers to registers of the kernel. Order later replaces the virtual registers by the kernel's.
func (m Machine) LoadInto(dst Number, src Mem) { m.Move(m.Load(src), dst) }

func (m Machine) Move(src, dst Number) {
	for _, x := range m.Take(m.from) {
		for i := range x.Operands {
			o := &x.Operands[i]
			if at := slices.Index(src[:], Reg(o.Index)); at >= 0 && o.Kind == interp.General {
				o.Index = int(dst[at])
			}
		}
		m.Add(x.Opcode, x.Operands...)
	}
}

func (m Machine) Store(src Number, dst Mem) {
	for i, r := range src {
		m.SD(r, dst.Offset(8*i))
	}
}

// Keep copies a number to the frame and returns its address there. Load reads it back.
func (m Machine) Keep(v Number) Mem {
	local := m.Local(size)
	m.Store(v, local)
	return local
}

// KeepWide copies a number of eight limbs to the frame and returns its address there.
func (m Machine) KeepWide(v Wide) Mem {
	local := m.Local(2 * size)
	m.Store(Number(v[:4]), local)
	m.Store(Number(v[4:]), local.Offset(size))
	return local
}

// sum returns s = a + b modulo 2^64, and the carry, 0 or 1.
func (m Machine) sum(a, b Reg) (s, carry Reg) {
	s = m.add(a, b)
	return s, m.less(s, b)
}

// difference returns d = a − b modulo 2^64, and the borrow, 0 or 1.
func (m Machine) difference(a, b Reg) (d, borrow Reg) { return m.sub(a, b), m.less(a, b) }

// accumulate returns the low and the high limb of the sum of x·y and all summands. The sum must be
// below 2^128. accumulate writes no instruction for a summand that is the register zero.
func (m Machine) accumulate(x, y Reg, summands ...Reg) (s, high Reg) {
	s, high = m.low(x, y), m.high(x, y)
	for _, r := range summands {
		if r != zero {
			var k Reg
			s, k = m.sum(s, r)
			high = m.add(high, k)
		}
	}
	return s, high
}

// Multiply returns x·y, 512 bits, row by row. For each product x_i·y_j it adds the low half to limb
// i + j, and carries the rest to the next limb.
func (m Machine) Multiply(x, y Number) (w Wide) {
	for i := range 4 {
		carry := zero
		for j := range 4 {
			w[i+j], carry = m.accumulate(x[i], y[j], w[i+j], carry) // in row 0, w is zero
		}
		w[i+4] = carry
	}
	return w
}

// Square returns x², 512 bits, row by row: row i has x_i times itself and twice x_i times each limb
// above it. Doubling x moves its top bit into an extra limb; if it is set, x_i is added to limb
// i + 4.
//
//	limb      0    1      2      3      4        5        6        7
//	row 0     x0²  x0·y1  x0·z2  x0·z3  x0 or 0
//	row 1                 x1²    x1·y2  x1·z3    x1 or 0
//	row 2                               x2²      x2·y3    x2 or 0
//	row 3                                                 x3²
//
// y_j is 2·x_j modulo 2^64, and z_j is y_j plus the top bit of x_{j−1}. The x_i or 0 is added in a
// later row that has room for it: a product plus three limbs is below 2^128 if one factor is even,
// and a product plus two limbs always is.
func (m Machine) Square(x Number) (w Wide) {
	top := m.virtual()
	m.SRAI(63, x[3], top)
	var y, z, more [4]Reg
	for j := 1; j < 4; j++ {
		y[j] = m.left(x[j], 1)
		if j > 1 {
			z[j] = m.or(y[j], m.right(x[j-1], 63))
		}
		more[j-1] = m.virtual()
		m.AND(top, x[j-1], more[j-1])
	}
	var carry Reg
	w[0], carry = m.accumulate(x[0], x[0])
	w[1], carry = m.accumulate(x[0], y[1], carry)
	w[2], carry = m.accumulate(x[0], z[2], carry)
	w[3], w[4] = m.accumulate(x[0], z[3], carry)

	w[2], carry = m.accumulate(x[1], x[1], w[2])
	w[3], carry = m.accumulate(x[1], y[2], w[3], carry)
	w[4], w[5] = m.accumulate(x[1], z[3], w[4], carry)

	w[4], carry = m.accumulate(x[2], x[2], w[4], more[0])
	w[5], w[6] = m.accumulate(x[2], y[3], w[5], more[1], carry)

	w[6], w[7] = m.accumulate(x[3], x[3], w[6], more[2])
	return w
}

// Fold returns five limbs congruent to w modulo p, at most (c + 1)·2^256. It adds c times the upper
// half of w to the lower half.
func (m Machine) Fold(w Wide) (v Folded) {
	carry := zero
	for i := range 4 {
		v[i], carry = m.accumulate(w[i+4], m.c, w[i], carry)
	}
	v[4] = carry
	return v
}
