// Package blocks generates blocks of PTX: those in ptx.h, with which NVIDIA GPUs multiply, square,
// add and subtract modulo p = 2^256 − c, c = 2^32 + 977, and the one in ptx_scalar.h, with which
// they multiply modulo n = 2^256 − d.
//
// Each is a single statement of inline assembly, because carries do not outlive one. A pair of a
// low and a high product on neighbouring limbs, the lower at an even distance from the chain's
// first,
//
//	madc.lo.cc.u32 t0, a, b, t0;
//	madc.hi.cc.u32 t1, a, b, t1;
//
// becomes one instruction of the machine (IMAD.WIDE.X). So products are summed up in two
// accumulators: even holds those whose lower half belongs to an even limb, odd the others.
//
// Values modulo p are loose: any number below 2^256 stands for its residue (docs/field-bounds.md).
package blocks

import (
	"fmt"
	"strings"
)

// An Inst is an instruction: its name without the type, its result and its arguments. A register is
// a letter and a number; a and b are the operands, r is the result.
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

// A Block is one function of a header.
type Block struct {
	Name    string
	Comment string
	Type    string // type of the operands and of the result: fe or sc
	Inputs  string // letters of the operands, eight limbs each
	Insts   []Inst
}

func (b *Block) emit(op, dst string, args ...string) {
	b.Insts = append(b.Insts, Inst{op, dst, args})
}

// reg returns the name of limb i of an accumulator or an operand.
func reg(letter string, i int) string { return fmt.Sprint(letter, i) }

// A chain is a sequence of instructions that pass a carry on.
type chain struct {
	b       *Block
	carries bool // the last instruction has left a carry
}

// op returns the full name of the instruction add, sub, mad.lo or mad.hi. It takes the carry of the
// instruction before, if there is one, and leaves a carry if out is set.
func (c *chain) op(name string, out bool) string {
	if c.carries {
		first, rest, _ := strings.Cut(name+".", ".")
		name = strings.TrimSuffix(first+"c."+rest, ".")
	}
	if out {
		name += ".cc"
	}
	c.carries = out
	return name
}

// add sets dst to x + y plus the carry, and leaves a carry if out is set.
func (c *chain) add(dst, x, y string, out bool) { c.b.emit(c.op("add", out), dst, x, y) }

// sub sets dst to x − y minus the borrow, and leaves a borrow if out is set.
func (c *chain) sub(dst, x, y string, out bool) { c.b.emit(c.op("sub", out), dst, x, y) }

// wide adds x·y to two limbs, and leaves a carry if out is set.
func (c *chain) wide(lo, hi, x, y string, out bool) {
	c.b.emit(c.op("mad.lo", true), lo, x, y, lo)
	c.b.emit(c.op("mad.hi", out), hi, x, y, hi)
}

// An accumulator holds sums of products in pairs of limbs.
type accumulator struct {
	b      *Block
	letter string
	top    int // limbs from here on have not been written and count as zero
}

// row adds products x_j·y to the limbs at, at + 2, …, in one chain. It sets limbs that have not
// been written yet. The carry out of the last pair becomes the next limb. There is no carry if that
// pair was not written before, or held only a carry, since (2^32−1)² + 2 < 2^64.
func (acc *accumulator) row(at int, xs []string, y string) {
	c := chain{b: acc.b}
	for k, x := range xs {
		low := at + 2*k
		lo, hi := reg(acc.letter, low), reg(acc.letter, low+1)
		fresh := low+1 >= acc.top
		switch {
		case !fresh:
			c.wide(lo, hi, x, y, true)
		case low < acc.top: // lo holds only a carry
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
	acc.top = max(acc.top, at+2*len(xs))
	if c.carries {
		c.add(reg(acc.letter, acc.top), "0", "0", false)
		acc.top++
	}
}

// every returns the limbs first, first + 2, … of an operand.
func every(letter string, first int) []string {
	var limbs []string
	for i := first; i < 8; i += 2 {
		limbs = append(limbs, reg(letter, i))
	}
	return limbs
}

// Mul returns the block for a·b: 64 products.
func Mul() *Block {
	b := &Block{Name: "fe_mul", Comment: "r = a·b", Type: "fe", Inputs: "ab"}
	b.product()
	b.reduce("e", 8)
	return b
}

// product sets e to the sixteen limbs of a·b.
//
// The products a_j·b_i of row i begin at limb i + j. Those with an even i + j are added to even,
// the others to odd. Each row fills the same limbs of an accumulator as the row before it, but for
// two.
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

// Sqr returns the block for a²: 28 products a_i·a_j with i < j, doubled, and 8 squares.
func Sqr() *Block {
	b := &Block{Name: "fe_sqr", Comment: "r = a²", Type: "fe", Inputs: "a"}
	even, odd := &accumulator{b: b, letter: "e"}, &accumulator{b: b, letter: "o"}
	for i := range 7 {
		odd.row(2*i+1, every("a", i+1), reg("a", i))
		if i < 6 {
			even.row(2*i+2, every("a", i+2), reg("a", i))
		}
	}
	// Add the accumulators. Limb 1 is only in odd, and even ends at limb 13.
	c := chain{b: b}
	for i := 2; i < odd.top; i++ {
		x := "0"
		if i < even.top {
			x = reg("e", i)
		}
		c.add(reg("o", i), reg("o", i), x, i < odd.top-1)
	}
	// Double the sum, which is below 2^480 even if all limbs are ones. So limb 15 is the bit
	// shifted out of limb 14.
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

// join adds odd, which is not longer, to even, from limb first on.
func (b *Block) join(even, odd *accumulator, first int) {
	c := chain{b: b}
	for i := first; i < even.top; i++ {
		x, y := reg(even.letter, i), "0"
		if i < odd.top {
			y = reg(odd.letter, i)
		}
		c.add(x, x, y, i < even.top-1)
	}
}

// reduce sets r to the number with sixteen limbs t, the upper eight of which begin at limb top.
//
// With h the upper limbs, it adds h·977 and h·2^32 to the lower ones. The products of 977 with even
// limbs of h are added to the lower limbs. Those with odd limbs are added to h, which is then added
// one limb higher, as h·2^32. The part of the sum above 2^256 is at most c (docs/field-bounds.md):
// limbs 8 and 9, where limb 9 is at most 1.
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

// fold sets r = t + s·2^256 modulo p, for s = s8 + s9·2^32 ≤ c.
//
// s·c has three limbs, m0 to m2. If s9 is 1, s8 is at most 977, and nothing carries into m2. If
// adding s·c carries out of 256 bits, less than 2^66 is left, and c is added once more.
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
// A carry out of 256 bits stands for 2^256, which is c modulo p. Adding c may carry again; then
// less than c is left, so the second addition of c changes only limbs 0 and 1.
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
// A borrow out of 256 bits stands for −2^256, which is −c modulo p. Subtracting c may borrow again;
// then at least 2^256 − c is left, so the second subtraction of c changes only limbs 0 and 1.
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

// borrow sets m1, m0 to the limbs of c if the chain has left a borrow, and to 0 if not.
func (b *Block) borrow(c *chain) {
	c.sub("s8", "0", "0", false) // all ones, or 0
	b.emit("and", "m0", "s8", "977")
	b.emit("and", "m1", "s8", "1")
}
