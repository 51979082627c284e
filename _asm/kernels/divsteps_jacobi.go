package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These constants are those of package divsteps: the halvings in the two parts of a run, and the
// shift of its matrix.
const (
	firstHalvings  = 31
	secondHalvings = 30
	jacobiScale    = runShifts - firstHalvings - secondHalvings
)

// These constants are the byte offsets of the fields of a jacobiState.
const (
	offA        = 0
	offB        = 32
	offChanges  = 64
	offNegative = 72
)

// jacobi builds the kernel for jacobiState.run.
func jacobi(c *build.Context) {
	m := machine(c)
	a, b, kept := words(c, 4), words(c, 4), words(c, 4)
	first, mat := words(c, 2), words(c, 4)
	changes, swaps, aSign := words(c, 1)[0], words(c, 1)[0], words(c, 1)[0]
	w := limbs.W
	ax, cx, di := reg.RAX, reg.RCX, reg.RDI
	state := limbs.Pointer(di)
	uv, qr := reg.R12, reg.R13
	changed, swapped := reg.R14, reg.R15

	argument(c, "s", di)
	for k := range 4 {
		c.MOVQ(state.Offset(offA+8*k), ax)
		c.MOVQ(ax, a[k])
		c.MOVQ(state.Offset(offB+8*k), ax)
		c.MOVQ(ax, b[k])
	}
	c.MOVQ(state.Offset(offChanges), changed)
	c.XORL(swapped.As32(), swapped.As32())
	leading(c, a, b)
	halve(c, firstHalvings, "first", false)
	c.MOVQ(uv, first[0])
	c.MOVQ(qr, first[1])
	halve(c, secondHalvings, "second", true)
	c.MOVQ(changed, changes)
	c.MOVQ(swapped, swaps)
	multiplyHalves(c, first, mat)

	difference(m, mat[0], mat[1], a, b)
	c.MOVQ(cx, aSign)
	for k := range 4 {
		c.MOVQ(w[k+1], kept[k])
	}
	difference(m, mat[3], mat[2], b, a)
	argument(c, "s", di)
	for k := range 4 {
		c.MOVQ(w[k+1], state.Offset(offB+8*k))
		c.MOVQ(kept[k], ax)
		c.MOVQ(ax, state.Offset(offA+8*k))
	}

	// a was negative if the signs differ, and its sign is not the one that the swaps gave it.
	c.MOVQ(aSign, ax)
	c.XORQ(ax, cx)
	c.XORQ(swaps, ax)
	c.ANDQ(ax, cx)
	c.MOVQ(cx, state.Offset(offNegative))
	c.SHRQ(operand.U8(1), w[1]) // the low word of b
	c.ANDQ(cx, w[1])
	c.XORQ(changes, w[1])
	c.MOVQ(w[1], state.Offset(offChanges))
	c.RET()
}

// halve makes the given number of halvings, at most 31, as jacobiWords.halve does. R8 to R11 hold
// the leading words and the low words of a and b, R14 the changes of the sign and R15 the swaps. It
// sets R12 to the matrix entries u and v, in the low and the high half, and R13 to q and r. If last
// is set, it leaves a and its leading word undefined.
func halve(c *build.Context, halvings uint32, name string, last bool) {
	ah, bh, a, b := reg.R8, reg.R9, reg.R10, reg.R11
	uv, qr, changes, swaps := reg.R12, reg.R13, reg.R14, reg.R15
	d, dh, x, t, n, left := reg.RAX, reg.RBX, reg.RSI, reg.RDI, reg.RDX, reg.RCX
	// two changes the sign for n factors of 2, if b is 3 or 5 modulo 8.
	two := func() {
		c.MOVQ(b, t)
		c.SHRQ(operand.U8(1), t)
		c.XORQ(b, t)
		c.SHRQ(operand.U8(1), t)
		c.ANDQ(n, t)
		c.XORQ(t, changes)
	}
	c.MOVL(operand.U32(1), uv.As32())
	c.MOVQ(uv, qr)
	c.SHLQ(operand.U8(32), qr)
	c.MOVL(operand.U32(halvings), left.As32())
	c.TZCNTQ(a, n)
	c.MOVQ(a, d)
	c.MOVQ(ah, dh)
	c.SUBQ(n, left)
	c.JLE(operand.LabelRef(name + "Last"))

	c.Label(name)
	two()
	c.SHRXQ(n, d, a)
	c.SHRXQ(n, dh, ah)
	c.SHLXQ(n, qr, qr)
	c.MOVQ(a, d)
	c.SUBQ(b, d)
	c.TZCNTQ(d, n)
	c.MOVQ(a, t)
	c.ANDQ(b, t)
	c.SHRQ(operand.U8(1), t) // bit 0 is 1 if a ≡ b ≡ 3 modulo 4
	c.MOVQ(qr, x)
	c.MOVQ(ah, dh)
	c.SUBQ(bh, dh)
	c.CMOVQCS(ah, bh)
	c.CMOVQCS(a, b)
	c.CMOVQCS(uv, qr)
	c.LEAQ(operand.Mem{Base: uv, Index: x, Scale: 1}, uv)
	c.SBBQ(x, x)
	c.XORQ(x, d)
	c.XORQ(x, dh)
	c.SUBQ(x, d)
	c.SUBQ(x, dh)
	c.ANDQ(x, t)
	c.XORQ(t, changes)
	c.XORQ(x, swaps)
	c.SUBQ(n, left)
	c.JGT(operand.LabelRef(name))

	c.Label(name + "Last")
	c.ADDQ(left, n) // now n is the number of halvings that were left
	two()
	c.SHLXQ(n, qr, qr)
	if !last {
		c.SHRXQ(n, d, a)
		c.SHRXQ(n, dh, ah)
	}
}

// multiplyHalves sets mat to the entries u, v, q and r of the product of two matrices of halve,
// shifted by jacobiScale: of the later one in R12 and R13, and the earlier one in first.
func multiplyHalves(c *build.Context, first, mat []operand.Mem) {
	sum, product, low, high := reg.RAX, reg.RBX, reg.RSI, reg.RDI
	for row, later := range []reg.GPPhysical{reg.R12, reg.R13} {
		c.MOVL(later.As32(), low.As32())
		c.MOVQ(later, high)
		c.SHRQ(operand.U8(32), high)
		for column := range 2 {
			c.MOVL(first[0].Offset(4*column), sum.As32())
			c.IMULQ(low, sum)
			c.MOVL(first[1].Offset(4*column), product.As32())
			c.IMULQ(high, product)
			c.ADDQ(product, sum)
			c.SHLQ(operand.U8(jacobiScale), sum)
			c.MOVQ(sum, mat[2*row+column])
		}
	}
}
