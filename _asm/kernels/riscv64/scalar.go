package riscv64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// ScalarMultiply writes the kernel that sets v = a·b modulo n. ScalarSquare writes the kernel that
// sets v = a² modulo n.
func ScalarMultiply(code riscv64.Code) {
	m := limbs.New(code, false)
	a, b := m.Load(riscv64.At(m.Pointer("a"), 0)), m.Load(riscv64.At(m.Pointer("b"), 0))
	m.Store(m.ModuloOrder(m.Multiply(a, b)), riscv64.At(m.Pointer("v"), 0))
	m.Order()
	m.RET()
}

func ScalarSquare(code riscv64.Code) {
	m := limbs.New(code, false)
	a := m.Load(riscv64.At(m.Pointer("a"), 0))
	m.Store(m.ModuloOrder(m.Square(a)), riscv64.At(m.Pointer("v"), 0))
	m.Order()
	m.RET()
}
