package riscv64

import "github.com/koblitz-go/koblitz/_asm/listing/riscv64"

// ClearRegisters writes the kernel that zeroes all registers that a function may write.
func ClearRegisters(c riscv64.Code) {
	for r := riscv64.X5; r <= riscv64.X30; r++ {
		if r.Writable() {
			c.XOR(r, r, r)
		}
	}
	c.RET()
}
