package riscv64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// far is the label to which a variable-time addition jumps if the points have the same x. The
// kernel has then changed none of its arguments.
const far = "far"

// FieldMultiply writes the kernel that sets v = a·b modulo p.
func FieldMultiply(code riscv64.Code) {
	m := limbs.New(code, false)
	m.Constant()
	a, b := m.Load(riscv64.At(m.Pointer("a"), 0)), m.Load(riscv64.At(m.Pointer("b"), 0))
	m.Store(m.Product(a, b), riscv64.At(m.Pointer("v"), 0))
	m.Order()
	m.RET()
}

// FieldSquareN writes a kernel that squares a field element several times. It keeps the value and
// the count of squarings in registers from one squaring to the next.
func FieldSquareN(code riscv64.Code, vartime bool) {
	count, c, pointer := riscv64.X5, riscv64.X6, riscv64.X7
	x := limbs.Number{riscv64.X8, riscv64.X9, riscv64.X10, riscv64.X11}
	m := limbs.New(code, vartime, count, c, pointer, x[0], x[1], x[2], x[3])
	m.Constant(c)
	m.Argument("n", count)
	m.LoadInto(x, riscv64.At(m.Pointer("a"), 0))
	m.Order()

	m.Label("loop")
	m = m.Next()
	m.Move(m.SquareOf(x), x)
	m.ADDI(-1, count, count)
	m.Order()
	m.BNE(count, riscv64.ZERO, "loop")
	m.Argument("v", pointer)
	m.Store(x, riscv64.At(pointer, 0))
	finish(m, vartime)
}

// finish writes the return instructions. A constant-time kernel returns nothing. A variable-time
// kernel returns true. If it has the label far, code that jumps there returns false.
func finish(m limbs.Machine, vartime bool) {
	if vartime {
		m.ADDI(1, riscv64.ZERO, riscv64.X5)
		m.Result(riscv64.X5, "ok")
	}
	m.RET()
	m.Rest()
	if m.Exits() {
		m.Label(far)
		m.Result(riscv64.ZERO, "ok")
		m.RET()
	}
}
