// Package riscv64 holds the arithmetic on numbers of four and eight 64-bit limbs that all
// scalar kernels of riscv64 share, as sequences of instructions: what package limbs is for
// amd64, under the same names.
//
// Functions return numbers in virtual registers, and read like the formula; the registers and
// the order of instructions are chosen when a kernel is complete ([Machine.Order]). There are
// no flags: the carry of a sum is 1 if the sum is less than a summand, and the borrow of a
// difference is 1 if the minuend is less than the subtrahend.
//
// c is 2^256 − p = 2^32 + 977, so that 2^256 ≡ c modulo p.
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
	// Mem is a place in memory.
	Mem = riscv64.Mem
)

// A Number is the registers of four limbs, least significant first, a Folded those of five, of
// which the last is small, and a Wide those of eight.
type (
	Number [4]Reg
	Folded [5]Reg
	Wide   [8]Reg
)

const zero = riscv64.ZERO

// size is that of a number in memory.
const size = 32

// A Machine adds functions on numbers to a list of instructions.
type Machine struct {
	riscv64.Code
	c    Reg
	from int
	pool []Reg
	*shared
}

// shared is what a machine and those that follow it have in common.
type shared struct {
	last    Reg // the last virtual register
	vartime bool
	// rare has, in variable time, what is done only if a carry goes far, and stands behind the
	// kernel: so Close, Difference and ThreeHalves are shorter by a third. A random number has
	// such a carry with a probability of 2^-60 in the first and 2^-31 in the others. Chosen
	// numbers can have it every time.
	rare  []rare
	exits bool // there is a jump to the label of JumpIfZero
}

// New returns a machine that adds to a list, from here on in virtual registers. kept are
// registers that hold values of the kernel's own.
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

// Constant sets a register to c: the given one, or else a virtual one. It comes before all that
// folds.
func (m *Machine) Constant(to ...Reg) {
	m.c = m.virtual()
	if len(to) > 0 {
		m.c = to[0]
	}
	one, high := m.virtual(), m.virtual()
	m.ADDI(1, zero, one)
	m.SLLI(32, one, high)
	m.ADDI(limbs.C&0xffff, high, m.c)
}

// Next returns a machine that adds to the list from here on, with the same constant.
func (m Machine) Next() Machine {
	m.from = m.Len()
	return m
}

// Exits returns whether there is a jump to the label of JumpIfZero.
func (m Machine) Exits() bool { return m.exits }

func (m Machine) virtual() Reg {
	m.last++
	return m.last
}

// One instruction, with a result in a register of its own.

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

// Pointer loads an argument, which is a pointer or a number.
func (m Machine) Pointer(name string) Reg {
	r := m.virtual()
	m.Argument(name, r)
	return r
}

// Load copies a number from memory, and Store to it.
func (m Machine) Load(src Mem) (v Number) {
	for i := range v {
		v[i] = m.virtual()
		m.LD(src.Offset(8*i), v[i])
	}
	return v
}

// LoadInto copies a number from memory to registers of the kernel's own, and Move one from
// virtual registers to such: they take the place of the virtual ones in the list.
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

// Keep copies a number to the frame, from where Load brings it back.
func (m Machine) Keep(v Number) Mem {
	local := m.Local(size)
	m.Store(v, local)
	return local
}

// KeepWide copies a number of eight limbs to the frame.
func (m Machine) KeepWide(v Wide) Mem {
	local := m.Local(2 * size)
	m.Store(Number(v[:4]), local)
	m.Store(Number(v[4:]), local.Offset(size))
	return local
}

// sum returns a + b and the carry.
func (m Machine) sum(a, b Reg) (s, carry Reg) {
	s = m.add(a, b)
	return s, m.less(s, b)
}

// difference returns a − b and the borrow.
func (m Machine) difference(a, b Reg) (d, borrow Reg) { return m.sub(a, b), m.less(a, b) }

// accumulate returns the two limbs of the sum of x·y and more, below 2^128. What is zero is
// none.
func (m Machine) accumulate(x, y Reg, more ...Reg) (s, high Reg) {
	s, high = m.low(x, y), m.high(x, y)
	for _, r := range more {
		if r != zero {
			var k Reg
			s, k = m.sum(s, r)
			high = m.add(high, k)
		}
	}
	return s, high
}

// Multiply returns x·y, 512 bits, by rows: to limb i + j is added what x_i·y_j has below 2^64,
// and the rest is the carry to the next.
func (m Machine) Multiply(x, y Number) (w Wide) {
	for i := range 4 {
		carry := zero
		for j := range 4 {
			w[i+j], carry = m.accumulate(x[i], y[j], w[i+j], carry) // in row 0 w is zero
		}
		w[i+4] = carry
	}
	return w
}

// Square returns x², 512 bits, by rows: x_i times itself, and times twice the limbs above it.
// The topmost bit of x, doubled, is a limb of its own: it adds x_i to limb i + 4, or nothing.
//
//	limb      0    1      2      3      4        5        6        7
//	row 0     x0²  x0·y1  x0·z2  x0·z3  x0 or 0
//	row 1                 x1²    x1·y2  x1·z3    x1 or 0
//	row 2                               x2²      x2·y3    x2 or 0
//	row 3                                                 x3²
//
// y_j is twice x_j below 2^64, and z_j that with the bit that comes from the limb below. What
// x_i adds waits for the row in which there is room for it: a product with three more limbs is
// below 2^128 if a factor is even, and one with two always.
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

// Fold brings the upper half of w down: the result, w modulo p, is at most (c + 1)·2^256.
func (m Machine) Fold(w Wide) (v Folded) {
	carry := zero
	for i := range 4 {
		v[i], carry = m.accumulate(w[i+4], m.c, w[i], carry)
	}
	v[4] = carry
	return v
}
