// Package blocks makes the blocks of PTX in ptx.h, with which NVIDIA's devices multiply, square,
// add and subtract modulo p = 2^256 − c, c = 2^32 + 977, and that in ptx_scalar.h, with which they
// multiply modulo n = 2^256 − d.
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

// An Inst is an instruction: its name without the type, its result and its arguments. Registers
// have a letter and a number; a and b are the operands, r is the result.
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
	Type    string // of the operands and of the result: fe or sc
	Inputs  string // a letter for each operand of eight limbs
	Insts   []Inst
}

func (b *Block) emit(op, dst string, args ...string) {
	b.Insts = append(b.Insts, Inst{op, dst, args})
}

// reg returns the name of limb i of an accumulator or an operand.
func reg(letter string, i int) string { return fmt.Sprint(letter, i) }

// A chain is a sum that carries from instruction to instruction.
type chain struct {
	b       *Block
	carries bool // whether a carry comes from the instruction before
}

// op returns the name of an instruction, add, sub, mad.lo or mad.hi, that takes the carry of the
// one before, if there was one, and leaves one if out is true.
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

// add adds y to x, and leaves a carry if out is true.
func (c *chain) add(dst, x, y string, out bool) { c.b.emit(c.op("add", out), dst, x, y) }

// sub subtracts y from x, and leaves a borrow if out is true.
func (c *chain) sub(dst, x, y string, out bool) { c.b.emit(c.op("sub", out), dst, x, y) }

// wide adds x·y to two limbs, and leaves a carry if out is true.
func (c *chain) wide(lo, hi, x, y string, out bool) {
	c.b.emit(c.op("mad.lo", true), lo, x, y, lo)
	c.b.emit(c.op("mad.hi", out), hi, x, y, hi)
}

// An accumulator holds sums of products in pairs of limbs.
type accumulator struct {
	b      *Block
	letter string
	top    int // limbs from here on were not written yet, and are zero
}

// row adds products x_j·y to the limbs at, at + 2, …, one chain. Limbs that were not written yet
// are set. The carry out of the last pair becomes the next limb, unless that pair is fresh or
// has no more than a carry in it: then there is none, for (2^32−1)² + 2 < 2^64.
func (acc *accumulator) row(at int, xs []string, y string) {
	c := chain{b: acc.b}
	for k, x := range xs {
		low := at + 2*k
		lo, hi := reg(acc.letter, low), reg(acc.letter, low+1)
		fresh := low+1 >= acc.top
		switch {
		case !fresh:
			c.wide(lo, hi, x, y, true)
		case low < acc.top: // a carry is in lo
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

// every returns limbs first, first + 2, … below 8 of an operand.
func every(letter string, first int) []string {
	var limbs []string
	for i := first; i < 8; i += 2 {
		limbs = append(limbs, reg(letter, i))
	}
	return limbs
}

// Mul returns the block of a·b: 64 products.
func Mul() *Block {
	b := &Block{Name: "fe_mul", Comment: "r = a·b", Type: "fe", Inputs: "ab"}
	b.product()
	b.reduce("e", 8)
	return b
}

// product sets e to the sixteen limbs of a·b.
//
// The products a_j·b_i of row i begin at limb i + j: those with even i + j go to even, and the
// others to odd. Two rows fill the same limbs of an accumulator but for two.
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

// Sqr returns the block of a²: 28 products a_i·a_j with i < j, doubled, and 8 squares.
func Sqr() *Block {
	b := &Block{Name: "fe_sqr", Comment: "r = a²", Type: "fe", Inputs: "a"}
	even, odd := &accumulator{b: b, letter: "e"}, &accumulator{b: b, letter: "o"}
	for i := range 7 {
		odd.row(2*i+1, every("a", i+1), reg("a", i))
		if i < 6 {
			even.row(2*i+2, every("a", i+2), reg("a", i))
		}
	}
	// Limb 1 is odd's alone, and even ends at limb 13.
	c := chain{b: b}
	for i := 2; i < odd.top; i++ {
		x := "0"
		if i < even.top {
			x = reg("e", i)
		}
		c.add(reg("o", i), reg("o", i), x, i < odd.top-1)
	}
	// Twice the sum. It is (a² less the squares)/2, which is below 2^480 even where all limbs are
	// ones: limb 15 is the bit that limb 14 loses.
	b.emit("shf.l.wrap", reg("e", 15), reg("o", 14), "0", "1")
	for i := 14; i > 1; i-- {
		b.emit("shf.l.wrap", reg("e", i), reg("o", i-1), reg("o", i), "1")
	}
	b.emit("add", reg("e", 1), reg("o", 1), reg("o", 1))
	// The squares.
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

// reduce sets r to the number with sixteen limbs t, of which the upper eight begin at limb top.
//
// With h the upper limbs, h·977 and h·2^32 are added to the lower ones: products with even limbs of
// h to those, and products with odd ones to h, as it stands a limb higher, which is h·2^32.
// The sum's part above 2^256 is at most c (docs/field-bounds.md): limbs 8 and 9 of it, and the
// latter at most 1.
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

// fold sets r = t + s·2^256 for s = s8 + s9·2^32 ≤ c.
//
// s·c has three limbs, m0 to m2: if s9 is 1, s8 is at most 977, and nothing carries into m2. If
// adding it carries out of 256 bits, less than 2^66 is left, and c is added once more.
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

// Add returns the block of a + b.
//
// A carry is worth c. Adding c may carry again, and then less than c is left: the second c reaches
// limbs 0 and 1.
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

// Sub returns the block of a − b.
//
// A borrow is worth c. Subtracting c may borrow again, and then at least 2^256 − c is left: the
// second c reaches limbs 0 and 1.
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
