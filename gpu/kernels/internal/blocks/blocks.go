// Package blocks generates blocks of PTX: those in ptx.h, with which NVIDIA GPUs multiply, square,
// add and subtract modulo p = 2^256 − c, c = 2^32 + 977, and the one in ptx_scalar.h, with which
// they multiply modulo n = 2^256 − d.
//
// Each block is a single statement of inline assembly, because the carry flag is lost at its end.
// Consider the low and the high half of a product, added to neighbouring limbs. The lower limb is
// at an even distance from the first limb of the chain:
//
//	madc.lo.cc.u32 t0, a, b, t0;
//	madc.hi.cc.u32 t1, a, b, t1;
//
// The assembler turns these two into one machine instruction (IMAD.WIDE.X). Therefore products are
// summed up in two accumulators: products whose lower half belongs to an even limb in "even", the
// others in "odd".
//
// Values modulo p need not be reduced: any number below 2^256 represents its residue
// (docs/field-bounds.md).
package blocks

import (
	"fmt"
	"strings"
)

// An Inst is an instruction: its name without the type, its result and its arguments. A register is
// named by a letter and a number. Registers a and b hold the operands, r the result.
type Inst struct {
	Op   string
	Dst  string
	Args []string
}

// String returns the instruction in PTX.
func (i Inst) String() string {
	kind := "u32"
	if i.Op == "and" || i.Op == "shf.l.wrap" {
		kind = "b32"
	}
	return fmt.Sprintf("%s.%s %s, %s;", i.Op, kind, i.Dst, strings.Join(i.Args, ", "))
}

// A Block is the body of one function in a generated header.
type Block struct {
	Name    string
	Comment string
	Type    string // type of the operands and of the result: fe or sc
	Inputs  string // letters of the operands, which have eight limbs each
	Insts   []Inst
}

func (b *Block) emit(op, dst string, args ...string) {
	b.Insts = append(b.Insts, Inst{op, dst, args})
}

// reg returns the name of limb i of the accumulator or operand with the given letter.
func reg(letter string, i int) string { return fmt.Sprint(letter, i) }

// A chain is a sequence of instructions in which each passes its carry to the next.
type chain struct {
	b       *Block
	carries bool // the last instruction has left a carry
}

// op returns the full name of an instruction. The parameter name must be add, sub, mad.lo or
// mad.hi. The instruction takes the carry of the previous one, if there is a carry. It leaves a
// carry if carryOut is set.
func (c *chain) op(name string, carryOut bool) string {
	if c.carries {
		first, rest, _ := strings.Cut(name+".", ".")
		name = strings.TrimSuffix(first+"c."+rest, ".")
	}
	if carryOut {
		name += ".cc"
	}
	c.carries = carryOut
	return name
}

// add sets dst to x + y plus the carry, and leaves a carry if carryOut is set.
func (c *chain) add(dst, x, y string, carryOut bool) { c.b.emit(c.op("add", carryOut), dst, x, y) }

// sub sets dst to x − y minus the borrow, and leaves a borrow if borrowOut is set.
func (c *chain) sub(dst, x, y string, borrowOut bool) {
	c.b.emit(c.op("sub", borrowOut), dst, x, y)
}

// wide adds the product x·y to the limbs lo and hi, and leaves a carry if carryOut is set.
func (c *chain) wide(lo, hi, x, y string, carryOut bool) {
	c.b.emit(c.op("mad.lo", true), lo, x, y, lo)
	c.b.emit(c.op("mad.hi", carryOut), hi, x, y, hi)
}

// An accumulator holds a sum of products. Its limbs come in pairs, and each product is added to a
// pair.
type accumulator struct {
	b      *Block
	letter string
	top    int // limbs from this index on have not been written and count as zero
}

// row adds the products of y and each element of xs to the limbs from the given index on, two limbs
// for each product, in one chain. Limbs that have not been written before are set. The carry out of
// the last pair is written to the next limb. If the last pair was not written before, or held only
// a carry, then no carry comes out of it, since (2^32−1)² + 2 < 2^64.
func (acc *accumulator) row(index int, xs []string, y string) {
	c := chain{b: acc.b}
	for k, x := range xs {
		low := index + 2*k
		lo, hi := reg(acc.letter, low), reg(acc.letter, low+1)
		fresh := low+1 >= acc.top
		switch {
		case !fresh:
			c.wide(lo, hi, x, y, true)
		case low < acc.top: // limb lo holds only a carry
			acc.b.emit(c.op("mad.lo", true), lo, x, y, lo)
			acc.b.emit(c.op("mad.hi", false), hi, x, y, "0")
		case c.carries:
			acc.b.emit(c.op("mad.lo", true), lo, x, y, "0")
			acc.b.emit(c.op("mad.hi", false), hi, x, y, "0")
		default:
			acc.b.emit("mul.lo", lo, x, y)
			acc.b.emit("mul.hi", hi, x, y)
		}
	}
	acc.top = max(acc.top, index+2*len(xs))
	if c.carries {
		c.add(reg(acc.letter, acc.top), "0", "0", false)
		acc.top++
	}
}

// every returns every second limb of an operand, beginning with limb 0 or limb 1, as the parameter
// start says.
func every(letter string, start int) []string {
	var limbs []string
	for i := start; i < 8; i += 2 {
		limbs = append(limbs, reg(letter, i))
	}
	return limbs
}

// Mul returns the block that computes a·b from 64 products of limbs.
func Mul() *Block {
	b := &Block{Name: "fe_mul", Comment: "r = a·b", Type: "fe", Inputs: "ab"}
	b.product()
	b.reduce("e", 8)
	return b
}

// product sets e to the sixteen limbs of a·b.
//
// Row i consists of the products a_j·b_i for all j. Each product begins at limb i + j. There are
// two accumulators, called even and odd: a product with an even i + j is added to the first, one
// with an odd i + j to the second. Except for two limbs, each row fills the same limbs of an
// accumulator as the previous row.
func (b *Block) product() {
	even, odd := &accumulator{b: b, letter: "e"}, &accumulator{b: b, letter: "o"}
	for i := range 8 {
		y := reg("b", i)
		if i%2 == 0 {
			even.row(i, every("a", 0), y)
			odd.row(i+1, every("a", 1), y)
		} else {
			odd.row(i, every("a", 0), y)
			even.row(i+1, every("a", 1), y)
		}
	}
	b.join(even, odd, 1)
}

// Sqr returns the block that computes a². It doubles the sum of the 28 products a_i·a_j with i < j
// and adds the 8 squares.
func Sqr() *Block {
	b := &Block{Name: "fe_sqr", Comment: "r = a²", Type: "fe", Inputs: "a"}
	even, odd := &accumulator{b: b, letter: "e"}, &accumulator{b: b, letter: "o"}
	for i := range 7 {
		odd.row(2*i+1, every("a", i+1), reg("a", i))
		if i < 6 {
			even.row(2*i+2, every("a", i+2), reg("a", i))
		}
	}
	// Add the two accumulators. The accumulator called even has no limb 1, and ends at limb 13.
	c := chain{b: b}
	for i := 2; i < odd.top; i++ {
		x := "0"
		if i < even.top {
			x = reg("e", i)
		}
		c.add(reg("o", i), reg("o", i), x, i < odd.top-1)
	}
	// Double the sum. It is below 2^480, even if all limbs of a are ones, so limb 15 becomes the
	// bit that is shifted out of limb 14.
	b.emit("shf.l.wrap", reg("e", 15), reg("o", 14), "0", "1")
	for i := 14; i > 1; i-- {
		b.emit("shf.l.wrap", reg("e", i), reg("o", i-1), reg("o", i), "1")
	}
	b.emit("add", reg("e", 1), reg("o", 1), reg("o", 1))
	// Add the squares of limbs.
	c = chain{b: b}
	b.emit("mul.lo", reg("e", 0), "a0", "a0")
	b.emit(c.op("mad.hi", true), reg("e", 1), "a0", "a0", reg("e", 1))
	for i := 1; i < 8; i++ {
		c.wide(reg("e", 2*i), reg("e", 2*i+1), reg("a", i), reg("a", i), i < 7)
	}
	b.reduce("e", 8)
	return b
}

// join adds the accumulator src to dst. Limbs of dst with an index below start keep their values.
// src must not be longer than dst.
func (b *Block) join(dst, src *accumulator, start int) {
	c := chain{b: b}
	for i := start; i < dst.top; i++ {
		x, y := reg(dst.letter, i), "0"
		if i < src.top {
			y = reg(src.letter, i)
		}
		c.add(x, x, y, i < dst.top-1)
	}
}

// reduce sets r to a sixteen-limb number t modulo p. The lower eight limbs of t begin at limb 0,
// the upper eight at limb top.
//
// Let h be the upper eight limbs. Since 2^256 ≡ 2^32 + 977 modulo p, reduce adds h·977 and h·2^32
// to the lower limbs. The products of 977 with even limbs of h are added to the lower limbs.
// Products with odd limbs are added to h, and the sum is added to the lower limbs one limb higher,
// which includes h·2^32. The part of the sum above 2^256 is at most c (docs/field-bounds.md). It is
// in limbs 8 and 9, and limb 9 is at most 1.
func (b *Block) reduce(t string, top int) {
	h := func(i int) string { return reg(t, top+i) }
	c := chain{b: b}
	for i := 0; i < 8; i += 2 {
		c.wide(reg(t, i), reg(t, i+1), h(i), "977", true)
	}
	c.add("s8", "0", "0", false)

	c = chain{b: b}
	for i := 0; i < 8; i += 2 {
		lo, hi := reg("u", i+1), reg("u", i+2)
		b.emit(c.op("mad.lo", true), lo, h(i+1), "977", h(i))
		b.emit(c.op("mad.hi", true), hi, h(i+1), "977", h(i+1))
	}
	c.add("u9", "0", "0", false)

	c = chain{b: b}
	for i := 1; i < 8; i++ {
		c.add(reg(t, i), reg(t, i), reg("u", i), true)
	}
	c.add("s8", "s8", "u8", true)
	c.add("s9", "u9", "0", false)
	b.fold(t)
}

// fold sets r = t + s·2^256 modulo p. The registers s8 and s9 hold s = s8 + s9·2^32 ≤ c.
//
// The product s·c has three limbs, m0 to m2, where c = 2^32 + 977. m2 is s9 plus the carry out of
// m1. If s9 is 1, there is no such carry, because s8 is at most 977. If adding s·c carries out of
// 256 bits, the lower 256 bits are less than 2^66, and c is added once more.
func (b *Block) fold(t string) {
	b.emit("mul.lo", "m0", "s8", "977")
	b.emit("mul.hi", "m1", "s8", "977")
	b.emit("mad.lo", "m1", "s9", "977", "m1")
	c := chain{b: b}
	c.add("m1", "m1", "s8", true)
	c.add("m2", "s9", "0", false)

	c = chain{b: b}
	for i := range 8 {
		y := "0"
		if i < 3 {
			y = reg("m", i)
		}
		c.add(reg(t, i), reg(t, i), y, true)
	}
	c.add("s8", "0", "0", false)
	b.emit(c.op("mad.lo", true), "r0", "s8", "977", reg(t, 0))
	c.add("r1", reg(t, 1), "s8", true)
	c.add("r2", reg(t, 2), "0", false)
	for i := 3; i < 8; i++ {
		b.emit("mov", reg("r", i), reg(t, i))
	}
}

// Add returns the block for a + b.
//
// A carry out of 256 bits has the value 2^256, which is c modulo p. So c is added. If that carries
// again, the lower 256 bits are less than c, so the second addition of c changes only limbs 0 and
// 1.
func Add() *Block {
	b := &Block{Name: "fe_add", Comment: "r = a + b", Type: "fe", Inputs: "ab"}
	c := chain{b: b}
	for i := range 8 {
		c.add(reg("e", i), reg("a", i), reg("b", i), true)
	}
	c.add("s8", "0", "0", false)
	b.emit(c.op("mad.lo", true), "e0", "s8", "977", "e0")
	c.add("e1", "e1", "s8", true)
	for i := 2; i < 8; i++ {
		c.add(reg("e", i), reg("e", i), "0", true)
	}
	c.add("s8", "0", "0", false)
	b.emit(c.op("mad.lo", true), "r0", "s8", "977", "e0")
	c.add("r1", "e1", "s8", false)
	for i := 2; i < 8; i++ {
		b.emit("mov", reg("r", i), reg("e", i))
	}
	return b
}

// Sub returns the block for a − b.
//
// A borrow out of 256 bits has the value −2^256, which is −c modulo p. So c is subtracted. If that
// borrows again, the lower 256 bits are at least 2^256 − c, so the second subtraction of c changes
// only limbs 0 and 1.
func Sub() *Block {
	b := &Block{Name: "fe_sub", Comment: "r = a − b", Type: "fe", Inputs: "ab"}
	c := chain{b: b}
	for i := range 8 {
		c.sub(reg("e", i), reg("a", i), reg("b", i), true)
	}
	b.borrow(&c)
	for i := range 8 {
		y := "0"
		if i < 2 {
			y = reg("m", i)
		}
		c.sub(reg("e", i), reg("e", i), y, true)
	}
	b.borrow(&c)
	c.sub("r0", "e0", "m0", true)
	c.sub("r1", "e1", "m1", false)
	for i := 2; i < 8; i++ {
		b.emit("mov", reg("r", i), reg("e", i))
	}
	return b
}

// borrow sets m1 and m0 to the two limbs of c if the chain has left a borrow, else to 0.
func (b *Block) borrow(c *chain) {
	c.sub("s8", "0", "0", false) // all ones if there is a borrow, else 0
	b.emit("and", "m0", "s8", "977")
	b.emit("and", "m1", "s8", "1")
}
