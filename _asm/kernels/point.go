package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// These constants are the byte offsets of the coordinates of a point in memory, and the size of a
// field element in bytes.
const (
	offX = 0
	offY = 32
	offZ = 64
	size = 32
)

func point() []Kernel {
	return []Kernel{
		{
			Name: "doubleNADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p, q *Jacobian, n int)", Layout: "func(p, q *uint64, n int)",
			Doc: "doubleNADX sets p = 2^n·q, n ≥ 1, for every q, by the formulas of\n" +
				"[Jacobian.Double]. All coordinates, including the result's, are loose (below\n" +
				"2^256). p may be q. The time depends on n.",
			ConstantTime: true,
			Build:        func(c *build.Context) { pointDoubleN(c, false) },
		},
		{
			Name: "doubleNVartimeADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p *Jacobian, n int) (left int)", Layout: "func(p *uint64, n int) (left int)",
			Doc: "doubleNVartimeADX doubles p n times, n ≥ 1, and returns 0. If in some\n" +
				"doubling a carry goes beyond the limbs that the kernel corrects, the kernel\n" +
				"stops before this doubling. p is then the result of the earlier doublings,\n" +
				"and left is the number of doublings still to do. All coordinates, including\n" +
				"the result's, are loose (below 2^256). The time depends on n and reveals\n" +
				"such a carry.",
			Build: func(c *build.Context) { pointDoubleN(c, true) },
		},
		{
			Name: "addMixedADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p, q *Jacobian, a *Affine)", Layout: "func(p, q, a *uint64)",
			Doc: "addMixedADX sets p = q + a by the formulas of the functions difference and\n" +
				"chord. q must be finite, and q must not be a. For q = −a the result is\n" +
				"right: the point at infinity. All coordinates, including the result's, are\n" +
				"loose (below 2^256). p may be q.",
			ConstantTime: true,
			Build:        func(c *build.Context) { pointAddMixed(c, false, false) },
		},
		{
			Name: "addMixedVartimeADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p, q *Jacobian, a *Affine) (ok bool)",
			Layout:    "func(p, q, a *uint64) (ok bool)",
			Doc: "addMixedVartimeADX sets p = q + a and returns true. If q and a have the same\n" +
				"x, or a carry goes beyond the limbs that the kernel corrects, it leaves p\n" +
				"unchanged and returns false. q must be finite. All coordinates, including\n" +
				"the result's, are loose (below 2^256). p may be q. The time reveals which\n" +
				"case occurred.",
			Build: func(c *build.Context) { pointAddMixed(c, true, false) },
		},
		{
			Name: "addScaledVartimeADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p, q *Jacobian, a *Affine, s *field.Element) (ok bool)",
			Layout:    "func(p, q, a, s *uint64) (ok bool)",
			Doc: "addScaledVartimeADX is addMixedVartimeADX for points p and q of another\n" +
				"curve, the image of a's curve under (x, y) ↦ (x·s², y·s³). See\n" +
				"[Jacobian.AddScaledVartime].",
			Build: func(c *build.Context) { pointAddMixed(c, true, true) },
		},
		{
			Name: "addADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p, q, r *Jacobian)", Layout: "func(p, q, r *uint64)",
			Doc: "addADX sets p = q + r by the formulas of the function chord. q and r must be\n" +
				"finite. If q = r, the result is not the sum: its X and its Z are both 0\n" +
				"modulo the field prime. If q = −r, the result is right: its Z is 0 modulo\n" +
				"the field prime, and its X is not. All coordinates, including the result's,\n" +
				"are loose (below 2^256). p may be q or r.",
			ConstantTime: true,
			Build:        func(c *build.Context) { pointAdd(c, false) },
		},
		{
			Name: "addVartimeADX", Package: "point", File: "formulas_amd64",
			Signature: "func(p, q, r *Jacobian) (ok bool)", Layout: "func(p, q, r *uint64) (ok bool)",
			Doc: "addVartimeADX sets p = q + r and returns true. If q and r have the same x,\n" +
				"or a carry goes beyond the limbs that the kernel corrects, it leaves p\n" +
				"unchanged and returns false. q and r must be finite. All coordinates,\n" +
				"including the result's, are loose (below 2^256). p may be q or r. The time\n" +
				"reveals which case occurred.",
			Build: func(c *build.Context) { pointAdd(c, true) },
		},
		{
			Name: "addCoZADX", Package: "point", File: "formulas_amd64",
			Signature: "func(r, q, d *Affine, ratio *field.Element)", Layout: "func(r, q, d, ratio *uint64)",
			Doc: "addCoZADX sets r = q + d for points q and d with a common denominator. It\n" +
				"converts d to the denominator of r, and sets ratio to this new denominator\n" +
				"divided by the old one. The formulas are those of [OddMultiples]. q and d\n" +
				"must not have the same x. All coordinates and ratio are loose (below 2^256).\n" +
				"No two arguments may be the same.",
			ConstantTime: true,
			Build:        pointAddCoZ,
		},
		{
			Name: "rescaleADX", Package: "point", File: "formulas_amd64",
			Signature: "func(q *Affine, s, ratio *field.Element)", Layout: "func(q, s, ratio *uint64)",
			Doc: "rescaleADX sets q = (x·s², y·s³) for q = (x, y), and then s = s·ratio. All\n" +
				"values, including the results, are loose (below 2^256). No two arguments may\n" +
				"be the same.",
			ConstantTime: true,
			Build:        pointRescale,
		},
	}
}

// frame returns a function that allocates a number in the stack frame at each call.
func frame(c *build.Context) func() limbs.Number {
	return func() limbs.Number { return limbs.At(c.AllocLocal(size), 0) }
}

// far is the label to which variable-time kernels jump if a carry goes beyond the limbs that they
// correct, or, in an addition, if the points have the same x. At that moment the kernel has changed
// none of its arguments.
const far = "far"

// pointDoubleN builds the kernel that doubles the point (X, Y, Z) n times. A doubling computes
//
//	S = Y²  L = (3/2)·X²  T = X·S
//	X3 = L² − 2·T
//	Y3 = L·(T − X3) − S²
//	Z3 = Y·Z
//
// with S² kept at 512 bits, and one reduction for each new coordinate. The instructions for Z3 and
// S² are placed between operations that depend on each other; see chord.
func pointDoubleN(c *build.Context, vartime bool) {
	m := machine(c)
	local := frame(c)
	s, l, t, u := local(), local(), local(), local()
	ss := c.AllocLocal(64)
	count := c.AllocLocal(8)
	q, p := limbs.Pointer(limbs.P0), limbs.Pointer(limbs.P1)
	x, y, z := limbs.At(q, offX), limbs.At(q, offY), limbs.At(q, offZ)
	x3, z3 := limbs.At(p, offX), limbs.At(p, offZ)

	argument(c, "n", reg.RAX)
	c.MOVQ(reg.RAX, count)
	if vartime {
		m.Far = far
		argument(c, "p", limbs.P0)
		p = q
		x3, z3 = local(), local()
	} else {
		argument(c, "q", limbs.P0)
		argument(c, "p", limbs.P1)
	}
	c.Label("loop")
	m.StoreSquare(s, y)
	m.Square(x)
	m.Fold()
	m.ThreeHalves()
	m.Close()
	m.Store(l)
	m.StoreProduct(t, x, s)
	m.Square(l)
	m.Fold()
	m.Subtract(t)
	m.Subtract(t)
	m.CloseSigned()
	m.Store(x3)
	m.Square(s)
	m.StoreWide(ss)
	m.Difference(t, x3)
	m.Store(u)
	m.StoreProduct(z3, y, z)
	m.Multiply(l, u)
	m.SubtractWide(ss)
	m.FoldSigned()
	m.CloseSigned()
	m.Store(limbs.At(p, offY))
	if vartime {
		copyNumber(c, limbs.At(p, offX), x3)
		copyNumber(c, limbs.At(p, offZ), z3)
	} else {
		c.MOVQ(limbs.P1, limbs.P0)
	}
	c.DECQ(count)
	c.JNZ(operand.LabelRef("loop"))
	if vartime {
		c.Label(far)
		c.MOVQ(count, reg.RAX)
		c.Store(reg.RAX, c.Return("left"))
	}
	c.RET()
}

// copyNumber copies a number from memory to memory.
func copyNumber(c *build.Context, dst, src limbs.Number) {
	for i := range src {
		c.MOVQ(src[i], reg.RAX)
		c.MOVQ(reg.RAX, dst[i])
	}
}

// pointAddMixed builds the kernel that adds the affine point (X2, Y2) to the Jacobian point q =
// (X1, Y1, Z1). With Z = Z1, or Z = Z1·s if scaled is set, it computes
//
//	H = X2·Z² − X1   R = Y2·Z³ − Y1   Z3 = Z1·H
//
// and then the rest of the sum from X1, Y1, H and R, as chord does.
func pointAddMixed(c *build.Context, vartime, scaled bool) {
	m := machine(c)
	if vartime {
		m.Far = far
	}
	local := frame(c)
	zz, h, r, t := local(), local(), local(), local()
	q := limbs.Pointer(limbs.P0)
	a := limbs.Pointer(limbs.P1)
	x1, y1, z1 := limbs.At(q, offX), limbs.At(q, offY), limbs.At(q, offZ)
	x2, y2 := limbs.At(a, offX), limbs.At(a, offY)

	argument(c, "q", limbs.P0)
	z := z1
	if scaled {
		argument(c, "s", limbs.P1)
		z = t
		m.Product(z1, limbs.At(a, 0))
		m.Store(z)
	}
	argument(c, "a", limbs.P1)
	m.StoreSquare(zz, z)
	m.Multiply(x2, zz)
	m.Fold()
	m.Subtract(x1)
	m.CloseSigned()
	m.Store(h)
	if vartime {
		jumpIfZero(m)
	}
	m.StoreProduct(t, z, zz)
	m.StoreSquare(zz, h)
	m.Multiply(y2, t)
	m.Fold()
	m.Subtract(y1)
	m.CloseSigned()
	m.Store(r)
	chord(m, x1, y1, z1, h, r, zz, t)
	finish(c, vartime)
}

// pointAdd builds the kernel that adds the Jacobian points (X1, Y1, Z1) and (X2, Y2, Z2). It
// computes
//
//	U1 = X1·Z2²   H = X2·Z1² − U1   S1 = Y1·Z2³   R = Y2·Z1³ − S1   Z3 = Z1·Z2·H
//
// and then the rest of the sum from U1, S1, H and R, as chord does.
func pointAdd(c *build.Context, vartime bool) {
	m := machine(c)
	if vartime {
		m.Far = far
	}
	local := frame(c)
	zz1, zz2, h, r, u1, s1, z := local(), local(), local(), local(), local(), local(), local()
	a := limbs.Pointer(limbs.P0)
	b := limbs.Pointer(limbs.P1)
	x1, y1, z1 := limbs.At(a, offX), limbs.At(a, offY), limbs.At(a, offZ)
	x2, y2, z2 := limbs.At(b, offX), limbs.At(b, offY), limbs.At(b, offZ)

	argument(c, "q", limbs.P0)
	argument(c, "r", limbs.P1)
	m.StoreSquare(zz1, z1)
	m.StoreSquare(zz2, z2)
	m.StoreProduct(u1, x1, zz2)
	m.Multiply(x2, zz1)
	m.Fold()
	m.Subtract(u1)
	m.CloseSigned()
	m.Store(h)
	if vartime {
		jumpIfZero(m)
	}
	m.StoreProduct(zz1, z1, zz1)
	m.StoreProduct(zz2, z2, zz2)
	m.StoreProduct(s1, y1, zz2)
	m.StoreSquare(zz2, h)
	m.Multiply(y2, zz1)
	m.Fold()
	m.Subtract(s1)
	m.CloseSigned()
	m.Store(r)
	m.StoreProduct(z, z1, z2)
	chord(m, u1, s1, z, h, r, zz2, zz1)
	finish(c, vartime)
}

// pointAddCoZ builds the kernel that adds d = (X2, Y2) to q = (X1, Y1), which have the same Z. It
// computes
//
//	ratio = X2 − X1   E = Y2 − Y1
//	C = ratio²   V2 = X2·C   V1 = X1·C   A = Y2·(V2 − V1)
//	X3 = E² − V2 − V1
//	Y3 = E·(V2 − X3) − A
//
// and sets d = (V2, A), which is the old d with the Z of the sum.
func pointAddCoZ(c *build.Context) {
	m := machine(c)
	local := frame(c)
	ratio, e, cc, v1, t, u := local(), local(), local(), local(), local(), local()
	q, d := limbs.Pointer(limbs.P0), limbs.Pointer(limbs.P1)
	x1, y1 := limbs.At(q, offX), limbs.At(q, offY)
	x2, y2 := limbs.At(d, offX), limbs.At(d, offY)
	out := limbs.Pointer(limbs.Lo)

	argument(c, "q", limbs.P0)
	argument(c, "d", limbs.P1)
	m.Difference(x2, x1)
	m.Store(ratio)
	argument(c, "ratio", limbs.Lo)
	m.Store(limbs.At(out, 0))
	m.StoreSquare(cc, ratio)
	m.Difference(y2, y1)
	m.Store(e)
	m.StoreProduct(v1, x1, cc)
	m.StoreProduct(x2, x2, cc)
	m.Square(e)
	m.Fold()
	m.Subtract(v1)
	m.Subtract(x2)
	m.CloseSigned()
	m.Store(u)
	argument(c, "r", limbs.Lo)
	m.Store(limbs.At(out, offX))
	m.Difference(x2, v1)
	m.Store(t)
	m.StoreProduct(y2, y2, t)
	m.Difference(x2, u)
	m.Store(u)
	m.Multiply(e, u)
	m.Fold()
	m.Subtract(y2)
	m.CloseSigned()
	argument(c, "r", limbs.Lo)
	m.Store(limbs.At(out, offY))
	c.RET()
}

// pointRescale builds the kernel that sets q = (x·s², y·s³) for q = (x, y), and s = s·ratio. It
// computes s·ratio between s² and s³, because s³ has to wait for s².
func pointRescale(c *build.Context) {
	m := machine(c)
	t := frame(c)()
	q, s := limbs.Pointer(limbs.P0), limbs.At(limbs.Pointer(limbs.P1), 0)
	argument(c, "q", limbs.P0)
	argument(c, "s", limbs.P1)
	m.StoreSquare(t, s)
	m.StoreProduct(limbs.At(q, offX), limbs.At(q, offX), t)
	m.StoreProduct(t, s, t)
	argument(c, "ratio", limbs.Mask)
	m.StoreProduct(s, s, limbs.At(limbs.Pointer(limbs.Mask), 0))
	m.StoreProduct(limbs.At(q, offY), limbs.At(q, offY), t)
	c.RET()
}

// chord writes the last part of an addition. It sets the argument p to
//
//	V = X1·H²   X3 = R² − H³ − 2·V   Y3 = R·(V − X3) − Y1·H³   Z3 = Z1·H
//
// from H, R and H². It keeps Y1·H³ at 512 bits, and makes one reduction for each difference. The
// point (x1, y1, z1) is in the frame, or at the address in SI, which may be p. h and r are in the
// frame. So are hh, which holds H² and becomes scratch, and v, which is scratch.
//
// Most operations depend on the one right before, and a CPU looks ahead over at most two or three
// multiplications. Therefore Z3 and Y1·H³, on which nothing depends, are placed between dependent
// operations, and the caller squares H before it multiplies for R. The operations of a mixed
// addition can be placed in about a thousand orders. In measurements, the one used here is among
// the five fastest, and the slowest takes a third longer.
func chord(m limbs.Machine, x1, y1, z1, h, r, hh, v limbs.Number) {
	local := frame(m.Context)
	wide, u := m.AllocLocal(64), local()
	p := limbs.Pointer(limbs.P1)
	argument(m.Context, "p", limbs.P1)
	x3, z3 := limbs.At(p, offX), limbs.At(p, offZ)
	if m.Far != "" { // write p only after the last jump to Far
		x3, z3 = local(), local()
	}
	m.StoreProduct(v, x1, hh)
	m.StoreProduct(hh, h, hh)
	m.Square(r)
	m.Fold()
	m.Subtract(hh)
	m.Subtract(v)
	m.Subtract(v)
	m.CloseSigned()
	m.Store(x3)
	m.StoreProduct(z3, z1, h)
	m.Multiply(y1, hh)
	m.StoreWide(wide)
	m.Difference(v, x3)
	m.Store(u)
	m.Multiply(r, u)
	m.SubtractWide(wide)
	m.FoldSigned()
	m.CloseSigned()
	m.Store(limbs.At(p, offY))
	if m.Far != "" {
		copyNumber(m.Context, limbs.At(p, offX), x3)
		copyNumber(m.Context, limbs.At(p, offZ), z3)
	}
}

// jumpIfZero jumps to the label far if W3 … W0 may be 0 modulo p, that is, if W0 is 0 or the lowest
// limb of p, which is −c. The caller then checks all limbs. A random nonzero number has such a W0
// with probability 2^-63.
func jumpIfZero(m limbs.Machine) {
	m.TESTQ(limbs.W[0], limbs.W[0])
	m.JZ(operand.LabelRef(far))
	m.MOVQ(operand.U64(limbs.C), limbs.Lo)
	m.ADDQ(limbs.W[0], limbs.Lo)
	m.JZ(operand.LabelRef(far))
}

// finish writes the return instructions. A constant-time kernel returns nothing. A variable-time
// kernel returns true, but code that jumps to the label far returns false.
func finish(c *build.Context, vartime bool) {
	if vartime {
		result(c, 1)
		c.RET()
		c.Label(far)
		result(c, 0)
	}
	c.RET()
}

// result writes code that sets the result parameter ok.
func result(c *build.Context, ok uint64) {
	c.MOVL(operand.U32(ok), reg.EAX)
	c.Store(reg.AL, c.Return("ok"))
}
