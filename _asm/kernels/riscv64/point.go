package riscv64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// These constants are the byte offsets of the coordinates of a point in memory.
const (
	offX = 0
	offY = 32
	offZ = 64
)

// constant is the register that holds c = 2^256 − p in the kernels for additions.
const constant = riscv64.X5

// PointDoubleN writes the kernel that doubles the point (X, Y, Z) n times. A doubling computes
//
//	S = Y²  L = (3/2)·X²  T = X·S
//	X3 = L² − 2·T
//	Y3 = L·(T − X3) − S²
//	Z3 = Y·Z
//
// with one reduction for each new coordinate.
func PointDoubleN(code riscv64.Code, vartime bool) {
	p, q, count, c := riscv64.X5, riscv64.X6, riscv64.X7, riscv64.X8
	if vartime {
		q = p
	}
	m := limbs.New(code, vartime, p, q, count, c)
	m.Constant(c)
	m.Argument("p", p)
	if !vartime {
		m.Argument("q", q)
	}
	m.Argument("n", count)
	m.Order()

	m.Label("loop")
	m = m.Next()
	y, z := m.Load(riscv64.At(q, offY)), m.Load(riscv64.At(q, offZ))
	s := m.SquareOf(y)
	z3 := m.Product(y, z)
	x := m.Load(riscv64.At(q, offX))
	m.Store(z3, riscv64.At(p, offZ))
	t := m.Keep(m.Product(x, s))
	ss := m.KeepWide(m.Square(s))
	l := m.Close(m.ThreeHalves(m.Fold(m.Square(x))))
	tt := m.Load(t)
	x3 := m.Close(m.Subtract(m.Fold(m.Square(l)), tt, tt))
	m.Store(x3, riscv64.At(p, offX))
	u := m.Difference(m.Load(t), x3)
	m.Store(m.Close(m.FoldDifference(m.Multiply(l, u), ss)), riscv64.At(p, offY))
	m.ADDI(-1, count, count)
	if !vartime {
		m.MOV(p, q)
	}
	m.Order()
	m.BNE(count, riscv64.ZERO, "loop")
	if vartime {
		m.Result(riscv64.ZERO, "left")
	}
	m.RET()
	m.Rest()
}

// PointAddMixed writes the kernel that adds the affine point (X2, Y2) to the Jacobian point q =
// (X1, Y1, Z1). With Z = Z1, or Z = Z1·s if scaled is set, it computes
//
//	H = X2·Z² − X1   R = Y2·Z³ − Y1   Z3 = Z1·H
//
// and then the rest of the sum from X1, Y1, H and R, as chord does.
func PointAddMixed(code riscv64.Code, vartime, scaled bool) {
	m := limbs.New(code, vartime, constant)
	m.Constant(constant)
	q, a := m.Pointer("q"), m.Pointer("a")
	z := m.Load(riscv64.At(q, offZ))
	if scaled {
		z = m.Product(z, m.Load(riscv64.At(m.Pointer("s"), 0)))
	}
	zz := m.SquareOf(z)
	zzz := m.Keep(m.Product(z, zz))
	x1, y1 := riscv64.At(q, offX), riscv64.At(q, offY)
	h := m.Close(m.Subtract(m.Fold(m.Multiply(m.Load(riscv64.At(a, offX)), zz)), m.Load(x1)))
	if vartime {
		m.JumpIfZero(h, far)
	}
	m.Store(m.Product(m.Load(riscv64.At(q, offZ)), h), riscv64.At(m.Pointer("p"), offZ))
	yy := m.Multiply(m.Load(riscv64.At(a, offY)), m.Load(zzz))
	r := m.Close(m.Subtract(m.Fold(yy), m.Load(y1)))
	chord(m, x1, y1, h, r)
	m.Order()
	finish(m, vartime)
}

// PointAdd writes the kernel that adds the Jacobian points (X1, Y1, Z1) and (X2, Y2, Z2). It
// computes
//
//	U1 = X1·Z2²   H = X2·Z1² − U1   S1 = Y1·Z2³   R = Y2·Z1³ − S1   Z3 = Z1·Z2·H
//
// and then the rest of the sum from U1, S1, H and R, as chord does.
func PointAdd(code riscv64.Code, vartime bool) {
	m := limbs.New(code, vartime, constant)
	m.Constant(constant)
	a, b := m.Pointer("q"), m.Pointer("r")
	z2 := m.Load(riscv64.At(b, offZ))
	zz2 := m.SquareOf(z2)
	u1 := m.Keep(m.Product(m.Load(riscv64.At(a, offX)), zz2))
	s1 := m.Keep(m.Product(m.Load(riscv64.At(a, offY)), m.Product(z2, zz2)))
	z1 := m.Load(riscv64.At(a, offZ))
	z := m.Keep(m.Product(z1, z2))
	zz1 := m.SquareOf(z1)
	y2 := m.Keep(m.Product(z1, zz1))
	h := m.Close(m.Subtract(m.Fold(m.Multiply(m.Load(riscv64.At(b, offX)), zz1)), m.Load(u1)))
	if vartime {
		m.JumpIfZero(h, far)
	}
	yy := m.Multiply(m.Load(riscv64.At(b, offY)), m.Load(y2))
	r := m.Close(m.Subtract(m.Fold(yy), m.Load(s1)))
	m.Store(m.Product(m.Load(z), h), riscv64.At(m.Pointer("p"), offZ))
	chord(m, u1, s1, h, r)
	m.Order()
	finish(m, vartime)
}

// chord writes the last part of an addition of two points. In Jacobian coordinates with a common Z,
// the points are (x1, y1) and (x1 + H, y1 + R). chord sets X3 and Y3 of the argument p:
//
//	V = x1·H²   X3 = R² − H³ − 2·V   Y3 = R·(V − X3) − y1·H³
func chord(m limbs.Machine, x1, y1 riscv64.Mem, h, r limbs.Number) {
	hh := m.SquareOf(h)
	hhh := m.Product(h, hh)
	v := m.Product(m.Load(x1), hh)
	wide := m.KeepWide(m.Multiply(m.Load(y1), hhh))
	x3 := m.Close(m.Subtract(m.Fold(m.Square(r)), hhh, v, v))
	p := m.Pointer("p")
	m.Store(x3, riscv64.At(p, offX))
	u := m.Difference(v, x3)
	m.Store(m.Close(m.FoldDifference(m.Multiply(r, u), wide)), riscv64.At(p, offY))
}

// PointAddCoZ writes the kernel that adds d = (X2, Y2) to q = (X1, Y1), which have the same Z. It
// computes
//
//	ratio = X2 − X1   E = Y2 − Y1
//	C = ratio²   V2 = X2·C   V1 = X1·C   A = Y2·(V2 − V1)
//	X3 = E² − V2 − V1
//	Y3 = E·(V2 − X3) − A
//
// and sets d = (V2, A), which is the old d with the Z of the sum.
func PointAddCoZ(code riscv64.Code) {
	m := limbs.New(code, false)
	m.Constant()
	q, d := m.Pointer("q"), m.Pointer("d")
	x1, x2 := m.Load(riscv64.At(q, offX)), m.Load(riscv64.At(d, offX))
	ratio := m.Difference(x2, x1)
	m.Store(ratio, riscv64.At(m.Pointer("ratio"), 0))
	cc := m.SquareOf(ratio)
	v1 := m.Product(x1, cc)
	v1At := m.Keep(v1)
	v2 := m.Product(x2, cc)
	m.Store(v2, riscv64.At(d, offX))
	y2 := m.Load(riscv64.At(d, offY))
	e := m.Keep(m.Difference(y2, m.Load(riscv64.At(q, offY))))
	m.Store(m.Product(y2, m.Difference(v2, v1)), riscv64.At(d, offY)) // store A
	ee := m.Fold(m.Square(m.Load(e)))
	x3 := m.Close(m.Subtract(ee, m.Load(riscv64.At(d, offX)), m.Load(v1At)))
	r := m.Pointer("r")
	m.Store(x3, riscv64.At(r, offX))
	u := m.Difference(m.Load(riscv64.At(d, offX)), x3)
	y3 := m.Subtract(m.Fold(m.Multiply(m.Load(e), u)), m.Load(riscv64.At(d, offY)))
	m.Store(m.Close(y3), riscv64.At(r, offY))
	m.Order()
	m.RET()
}

// PointRescale writes the kernel that sets q = (x·s², y·s³) for q = (x, y), and s = s·ratio.
func PointRescale(code riscv64.Code) {
	m := limbs.New(code, false)
	m.Constant()
	q, s := m.Pointer("q"), m.Pointer("s")
	z := m.Load(riscv64.At(s, 0))
	m.Store(m.Product(z, m.Load(riscv64.At(m.Pointer("ratio"), 0))), riscv64.At(s, 0))
	zz := m.SquareOf(z)
	m.Store(m.Product(m.Load(riscv64.At(q, offX)), zz), riscv64.At(q, offX))
	zzz := m.Product(z, zz)
	m.Store(m.Product(m.Load(riscv64.At(q, offY)), zzz), riscv64.At(q, offY))
	m.Order()
	m.RET()
}
