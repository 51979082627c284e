package arm64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// These constants are the byte offsets of the coordinates of a point in memory, and the size of a
// field element in bytes.
const (
	offX = 0
	offY = 32
	offZ = 64
	size = 32
)

// PointDoubleN writes the kernel that doubles the point (X, Y, Z) n times. A doubling computes
//
//	S = Y²  L = (3/2)·X²  T = X·S
//	X3 = L² − 2·T
//	Y3 = L·(T − X3) − S²
//	Z3 = Y·Z
//
// with one reduction for each new coordinate. Only S is kept in memory, where Y3 is stored later.
func PointDoubleN(code arm64.Code, vartime bool) {
	m := limbs.New(code, vartime)
	q, p, count := limbs.P0, limbs.P1, limbs.P2
	m.Constant()
	if vartime {
		p = q
		m.ArgumentPair("p", "n", p, count)
	} else {
		m.ArgumentPair("p", "q", p, q)
		m.Argument("n", count)
	}
	s := arm64.At(p, offY)
	m.Label("loop")
	m.Load(limbs.A, arm64.At(q, offY))
	m.Load(limbs.D, arm64.At(q, offZ))
	m.SquareOf(limbs.B, limbs.A) // B = S
	m.Store(limbs.B, s)
	m.Product(limbs.D, limbs.A, limbs.D) // D = Z3
	m.Load(limbs.A, arm64.At(q, offX))
	m.Product(limbs.B, limbs.A, limbs.B) // B = T
	m.Square(limbs.W, limbs.A)
	m.Fold(limbs.A)
	m.ThreeHalves(limbs.A)
	m.Close(limbs.A) // A = L
	m.Square(limbs.W, limbs.A)
	m.Fold(limbs.Low)
	m.Subtract(limbs.Low, limbs.B)
	m.Subtract(limbs.Low, limbs.B)
	m.CloseSigned(limbs.Low) // Low = X3
	m.Store(limbs.Low, arm64.At(p, offX))
	m.Store(limbs.D, arm64.At(p, offZ))
	m.Difference(limbs.B, limbs.B, limbs.Low)
	m.Multiply(limbs.W, limbs.A, limbs.B)
	m.Load(limbs.A, s)
	ss := limbs.Join(limbs.B, limbs.D)
	m.Square(ss, limbs.A)
	m.SubtractWide(ss, ss[0])
	m.FoldSigned(limbs.Low, ss[0])
	m.CloseSigned(limbs.Low)
	m.Store(limbs.Low, arm64.At(p, offY))
	if !vartime {
		m.MOVD(p, q)
	}
	m.SUBS(arm64.Imm(1), count, count)
	m.BCC("NE", "loop")
	if vartime {
		m.Result(count, "left")
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
func PointAddMixed(code arm64.Code, vartime, scaled bool) {
	m := limbs.New(code, vartime)
	q, p, a := limbs.P0, limbs.P1, limbs.P2
	m.Constant()
	m.ArgumentPair("p", "q", p, q)
	m.Load(limbs.A, arm64.At(q, offZ))
	if scaled {
		s := limbs.Low[0]
		m.ArgumentPair("a", "s", a, s)
		m.Load(limbs.B, arm64.At(s, 0))
		m.Product(limbs.A, limbs.A, limbs.B)
	} else {
		m.Argument("a", a)
	}
	m.SquareOf(limbs.B, limbs.A) // B = Z²
	m.Load(limbs.High, arm64.At(a, offX))
	m.Multiply(limbs.W, limbs.High, limbs.B)
	m.Fold(limbs.D)
	m.Load(limbs.Low, arm64.At(q, offX))
	m.Subtract(limbs.D, limbs.Low)
	m.CloseSigned(limbs.D) // D = H
	if vartime {
		m.Far = far
		m.JumpIfZero(limbs.D)
	}
	m.Product(limbs.B, limbs.A, limbs.B) // B = Z³
	if scaled {
		m.Load(limbs.A, arm64.At(q, offZ))
	}
	chord(m, arm64.At(q, offX), arm64.At(q, offY), arm64.At(a, offY), vartime)
}

// PointAdd writes the kernel that adds the Jacobian points (X1, Y1, Z1) and (X2, Y2, Z2). It
// computes
//
//	U1 = X1·Z2²   H = X2·Z1² − U1   S1 = Y1·Z2³   R = Y2·Z1³ − S1   Z3 = Z1·Z2·H
//
// and then the rest of the sum from U1, S1, H and R, as chord does.
func PointAdd(code arm64.Code, vartime bool) {
	m := limbs.New(code, vartime)
	a, p, b := limbs.P0, limbs.P1, limbs.P2
	u1, s1, z := code.Local(size), code.Local(size), code.Local(size)
	m.Constant()
	m.ArgumentPair("p", "q", p, a)
	m.Argument("r", b)
	m.Load(limbs.A, arm64.At(b, offZ))
	m.SquareOf(limbs.B, limbs.A) // B = Z2²
	m.Load(limbs.High, arm64.At(a, offX))
	m.Product(limbs.D, limbs.High, limbs.B)
	m.Store(limbs.D, u1)
	m.Product(limbs.B, limbs.A, limbs.B) // B = Z2³
	m.Load(limbs.High, arm64.At(a, offY))
	m.Product(limbs.B, limbs.High, limbs.B)
	m.Store(limbs.B, s1)
	m.Load(limbs.B, arm64.At(a, offZ))
	m.Product(limbs.A, limbs.A, limbs.B)
	m.Store(limbs.A, z)
	m.SquareOf(limbs.A, limbs.B) // A = Z1²
	m.Load(limbs.High, arm64.At(b, offX))
	m.Multiply(limbs.W, limbs.High, limbs.A)
	m.Fold(limbs.D)
	m.Load(limbs.Low, u1)
	m.Subtract(limbs.D, limbs.Low)
	m.CloseSigned(limbs.D) // D = H
	if vartime {
		m.Far = far
		m.JumpIfZero(limbs.D)
	}
	m.Product(limbs.B, limbs.A, limbs.B) // B = Z1³
	m.Load(limbs.A, z)
	chord(m, u1, s1, arm64.At(b, offY), vartime)
}

// chord writes the last part of an addition of two points. In Jacobian coordinates with a common Z,
// the points are (x1, y1) and (x1 + H, y1 + R). On entry register set A holds the common Z, and set
// D holds H. R is y2·B − y1, where B is in register set B. chord computes
//
//	R = y2·B − y1   Z3 = A·H
//	V = x1·H²   X3 = R² − H³ − 2·V   Y3 = R·(V − X3) − y1·H³
//
// and stores the sum at the address in P1. The memory of the sum may overlap x1, y1 and y2: each
// coordinate is written after the last use of the values in its place.
func chord(m limbs.Machine, x1, y1, y2 arm64.Mem, vartime bool) {
	p := limbs.P1
	m.Product(limbs.A, limbs.A, limbs.D)
	m.Store(limbs.A, arm64.At(p, offZ))
	m.Load(limbs.High, y2)
	m.Multiply(limbs.W, limbs.High, limbs.B)
	m.Fold(limbs.B)
	m.Load(limbs.Low, y1)
	m.Subtract(limbs.B, limbs.Low)
	m.CloseSigned(limbs.B)               // B = R
	m.SquareOf(limbs.A, limbs.D)         // A = H²
	m.Product(limbs.D, limbs.A, limbs.D) // D = H³
	m.Load(limbs.High, x1)
	m.Product(limbs.A, limbs.High, limbs.A) // A = V
	m.Square(limbs.W, limbs.B)
	m.Fold(limbs.Low)
	m.Subtract(limbs.Low, limbs.D)
	m.Subtract(limbs.Low, limbs.A)
	m.Subtract(limbs.Low, limbs.A)
	m.CloseSigned(limbs.Low) // Low = X3
	m.Store(limbs.Low, arm64.At(p, offX))
	m.Difference(limbs.A, limbs.A, limbs.Low)
	m.Multiply(limbs.W, limbs.A, limbs.B)
	m.Load(limbs.A, y1)
	wide := limbs.Join(limbs.B, limbs.A)
	m.Multiply(wide, limbs.A, limbs.D)
	m.SubtractWide(wide, wide[0])
	m.FoldSigned(limbs.Low, wide[0])
	m.CloseSigned(limbs.Low)
	m.Store(limbs.Low, arm64.At(p, offY))
	finish(m, vartime)
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
func PointAddCoZ(code arm64.Code) {
	m := limbs.New(code, false)
	q, d, out := limbs.P0, limbs.P1, limbs.P2
	e := arm64.At(out, offY) // e holds E until Y3 is written
	m.Constant()
	m.ArgumentPair("q", "d", q, d)
	m.Load(limbs.B, arm64.At(q, offX))
	m.Load(limbs.A, arm64.At(d, offX))
	m.Difference(limbs.D, limbs.A, limbs.B)
	m.Argument("ratio", out)
	m.Store(limbs.D, arm64.At(out, 0))
	m.SquareOf(limbs.D, limbs.D)         // D = C
	m.Product(limbs.B, limbs.B, limbs.D) // B = V1
	m.Product(limbs.A, limbs.A, limbs.D) // A = V2
	m.Store(limbs.A, arm64.At(d, offX))
	m.Load(limbs.Low, arm64.At(d, offY))
	m.Load(limbs.High, arm64.At(q, offY))
	m.Difference(limbs.D, limbs.Low, limbs.High)
	m.Argument("r", out)
	m.Store(limbs.D, e)
	m.Difference(limbs.D, limbs.A, limbs.B)
	m.Load(limbs.High, arm64.At(d, offY))
	m.Product(limbs.D, limbs.High, limbs.D)
	m.Store(limbs.D, arm64.At(d, offY)) // store A
	m.Load(limbs.D, e)
	m.Square(limbs.W, limbs.D)
	m.Fold(limbs.Low)
	m.Subtract(limbs.Low, limbs.A)
	m.Subtract(limbs.Low, limbs.B)
	m.CloseSigned(limbs.Low)
	m.Store(limbs.Low, arm64.At(out, offX))
	m.Difference(limbs.B, limbs.A, limbs.Low)
	m.Multiply(limbs.W, limbs.B, limbs.D)
	m.Load(limbs.A, arm64.At(d, offY))
	m.Fold(limbs.Low)
	m.Subtract(limbs.Low, limbs.A)
	m.CloseSigned(limbs.Low)
	m.Store(limbs.Low, arm64.At(out, offY))
	m.RET()
}

// PointRescale writes the kernel that sets q = (x·s², y·s³) for q = (x, y), and s = s·ratio.
func PointRescale(code arm64.Code) {
	m := limbs.New(code, false)
	q, s, ratio := limbs.P0, limbs.P1, limbs.P2
	m.Constant()
	m.ArgumentPair("q", "s", q, s)
	m.Argument("ratio", ratio)
	m.Load(limbs.A, arm64.At(s, 0))
	m.SquareOf(limbs.B, limbs.A)
	m.Load(limbs.High, arm64.At(q, offX))
	m.Product(limbs.D, limbs.High, limbs.B)
	m.Store(limbs.D, arm64.At(q, offX))
	m.Product(limbs.B, limbs.A, limbs.B)
	m.Load(limbs.High, arm64.At(q, offY))
	m.Product(limbs.D, limbs.High, limbs.B)
	m.Store(limbs.D, arm64.At(q, offY))
	m.Load(limbs.B, arm64.At(ratio, 0))
	m.Product(limbs.A, limbs.A, limbs.B)
	m.Store(limbs.A, arm64.At(s, 0))
	m.RET()
}
