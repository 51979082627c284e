// Package arm64 builds the kernels of arm64. Package kernels documents their contracts, which are
// those of the amd64 kernels, and explains the formulas and names. The arm64 kernels keep most
// numbers in registers.
package arm64

//ci:untested interp/contract runs every kernel.

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// far is the label to which a variable-time addition jumps if the points have the same x. The
// kernel has then changed none of its arguments.
const far = "far"

// FieldMultiply writes the kernel that sets v = a·b modulo p.
func FieldMultiply(code arm64.Code) {
	m := limbs.New(code, false)
	m.Constant()
	m.ArgumentPair("a", "b", limbs.P0, limbs.P1)
	m.Load(limbs.A, arm64.At(limbs.P0, 0))
	m.Load(limbs.B, arm64.At(limbs.P1, 0))
	m.Argument("v", limbs.P0)
	m.Product(limbs.Low, limbs.A, limbs.B)
	m.Store(limbs.Low, arm64.At(limbs.P0, 0))
	m.RET()
}

// FieldSquareN writes a kernel that squares a field element several times. It keeps the value and
// the count of squarings in registers from one squaring to the next.
func FieldSquareN(code arm64.Code, vartime bool) {
	m := limbs.New(code, vartime)
	count := limbs.P1
	m.Constant()
	m.ArgumentPair("a", "n", limbs.P0, count)
	m.Load(limbs.A, arm64.At(limbs.P0, 0))
	m.Argument("v", limbs.P0)
	m.Label("loop")
	m.SquareOf(limbs.A, limbs.A)
	m.SUBS(arm64.Imm(1), count, count)
	m.BCC("NE", "loop")
	m.Store(limbs.A, arm64.At(limbs.P0, 0))
	finish(m, vartime)
}

// finish writes the return instructions. A constant-time kernel returns nothing. A variable-time
// kernel returns true. If it has the label far, code that jumps there returns false.
func finish(m limbs.Machine, vartime bool) {
	if vartime {
		m.MOVZ(1, limbs.P0)
		m.Result(limbs.P0, "ok")
	}
	m.RET()
	m.Rest()
	if m.Far != "" {
		m.Label(m.Far)
		m.Result(arm64.ZR, "ok")
		m.RET()
	}
}
