package arm64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// Offsets of the coordinates of a point in memory, and the size of an element.
const (
	offX = 0
	offY = 32
	offZ = 64
	size = 32
)

// PointDoubleN is
//
//	S = Y²  L = (3/2)·X²  T = X·S
//	X3 = L² − 2·T
//	Y3 = L·(T − X3) − S²
//	Z3 = Y·Z
//
// with one reduction for each new coordinate. S alone goes through the frame. In variable
// time a doubling gives up before it writes to p, if it does: X3 is the last that can.
func PointDoubleN(code arm64.Code, vartime bool) {
	m := machine(code, vartime)
	s := code.Local(size)
	q, p, count := limbs.P0, limbs.P1, limbs.P2
	m.Constant()
	m.Argument("n", count)
	if vartime {
		m.Argument("p", q)
		p = q
	} else {
		m.Argument("q", q)
		m.Argument("p", p)
	}
	m.Label("loop")
	m.Load(limbs.A, arm64.At(q, offY))
	m.Load(limbs.D, arm64.At(q, offZ))
	m.SquareOf(limbs.B, limbs.A) // S
	m.Store(limbs.B, s)
	m.Product(limbs.D, limbs.A, limbs.D) // Z3
	m.Load(limbs.A, arm64.At(q, offX))
	m.Product(limbs.B, limbs.A, limbs.B) // T
	m.Square(limbs.W, limbs.A)
	m.Fold(limbs.A)
	m.ThreeHalves(limbs.A)
	m.Close(limbs.A) // L
	m.Square(limbs.W, limbs.A)
	m.Fold(limbs.Low)
	m.Subtract(limbs.Low, limbs.B)
	m.Subtract(limbs.Low, limbs.B)
	m.CloseSigned(limbs.Low) // X3
	m.Store(limbs.Low, arm64.At(p, offX))
	m.Store(limbs.D, arm64.At(p, offZ))
	m.Far = ""
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
		m.Label(far)
		m.Result(count, "left")
	}
	m.RET()
}

// PointAddMixed is, for Z the denominator of q (times s, if scaled),
//
//	H = X2·Z² − X1   R = Y2·Z³ − Y1   Z3 = Z1·H
//
// and the chord through (X1, Y1):
//
//	V = X1·H²   X3 = R² − H³ − 2·V   Y3 = R·(V − X3) − Y1·H³
//
// In constant time p's coordinates are written as soon as q's are done with.
func PointAddMixed(code arm64.Code, vartime, scaled bool) {
	m := machine(code, vartime)
	q, p, a := limbs.P0, limbs.P1, limbs.P2
	m.Constant()
	m.Argument("q", q)
	m.Argument("a", a)
	m.Load(limbs.A, arm64.At(q, offZ))
	if scaled {
		m.Argument("s", p)
		m.Load(limbs.B, arm64.At(p, 0))
		m.Product(limbs.A, limbs.A, limbs.B)
	}
	m.Argument("p", p)
	m.SquareOf(limbs.B, limbs.A) // Z²
	m.Load(limbs.High, arm64.At(a, offX))
	m.Multiply(limbs.W, limbs.High, limbs.B)
	m.Fold(limbs.D)
	m.Load(limbs.Low, arm64.At(q, offX))
	m.Subtract(limbs.D, limbs.Low)
	m.CloseSigned(limbs.D) // H
	if vartime {
		m.JumpIfZero(limbs.D)
	}
	m.Product(limbs.B, limbs.A, limbs.B) // Z³
	if scaled {
		m.Load(limbs.A, arm64.At(q, offZ))
	}
	z3 := arm64.At(p, offZ)
	if vartime { // p is not written before all is certain
		z3 = code.Local(size)
	}
	m.Product(limbs.A, limbs.A, limbs.D)
	m.Store(limbs.A, z3)
	m.Load(limbs.High, arm64.At(a, offY))
	m.Multiply(limbs.W, limbs.High, limbs.B)
	m.Fold(limbs.B)
	m.Load(limbs.Low, arm64.At(q, offY))
	m.Subtract(limbs.B, limbs.Low)
	m.CloseSigned(limbs.B)               // R
	m.SquareOf(limbs.A, limbs.D)         // H²
	m.Product(limbs.D, limbs.A, limbs.D) // H³
	m.Load(limbs.High, arm64.At(q, offX))
	m.Product(limbs.A, limbs.High, limbs.A) // V
	m.Square(limbs.W, limbs.B)
	m.Fold(limbs.Low)
	m.Subtract(limbs.Low, limbs.D)
	m.Subtract(limbs.Low, limbs.A)
	m.Subtract(limbs.Low, limbs.A)
	m.CloseSigned(limbs.Low) // X3
	m.Store(limbs.Low, arm64.At(p, offX))
	m.Far = ""
	m.Difference(limbs.A, limbs.A, limbs.Low)
	m.Multiply(limbs.W, limbs.A, limbs.B)
	m.Load(limbs.A, arm64.At(q, offY))
	wide := limbs.Join(limbs.B, limbs.A)
	m.Multiply(wide, limbs.A, limbs.D)
	m.SubtractWide(wide, wide[0])
	m.FoldSigned(limbs.Low, wide[0])
	m.CloseSigned(limbs.Low)
	m.Store(limbs.Low, arm64.At(p, offY))
	if vartime {
		m.Load(limbs.A, z3)
		m.Store(limbs.A, arm64.At(p, offZ))
	}
	finish(m, vartime)
}
