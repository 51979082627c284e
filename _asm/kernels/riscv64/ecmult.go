package riscv64

import "github.com/koblitz-go/koblitz/_asm/listing/riscv64"

// ReadTable writes the kernel that reads a table entry by index in constant time. One bit of a word
// is set. It moves up by one position for each entry read, and is the sign bit at the wanted entry.
// An arithmetic shift copies the sign bit to all bits of a mask, which selects the entry's bits.
func ReadTable(c riscv64.Code) {
	const (
		at, left = riscv64.X5, riscv64.X6
		hot      = riscv64.X7
		mask     = riscv64.X8
		sum      = riscv64.X10 // sum is this register and the seven after it
		part     = riscv64.X18 // part is this register and the seven after it
		four     = riscv64.X28
	)
	c.Argument("index", mask)
	c.Argument("table.len", left)
	c.Argument("table", at)
	c.ADDI(1, riscv64.ZERO, hot)
	c.SLLI(63, hot, hot)
	c.SRL(mask, hot, hot)
	for k := range riscv64.Reg(8) {
		c.MOV(riscv64.ZERO, sum+k)
	}

	// Each limb is used four instructions after its load, when its value has arrived.
	entry := func(n int) {
		load := func(k riscv64.Reg) { c.LD(riscv64.At(at, 64*n+8*int(k)), part+k) }
		load(0)
		c.SRAI(63, hot, mask)
		load(1)
		c.SLLI(1, hot, hot)
		load(2)
		for k := range riscv64.Reg(9) {
			if k+3 < 8 {
				load(k + 3)
			}
			if k < 8 {
				c.AND(mask, part+k, part+k)
			}
			if k > 0 {
				c.OR(part+k-1, sum+k-1, sum+k-1)
			}
		}
	}
	c.ADDI(4, riscv64.ZERO, four)
	c.BLTU(left, four, "rest")
	c.Label("four")
	for k := range 4 {
		entry(k)
	}
	c.ADDI(256, at, at)
	c.ADDI(-4, left, left)
	c.BGEU(left, four, "four")
	c.Label("rest")
	c.BEQ(left, riscv64.ZERO, "done")
	c.Label("one")
	entry(0)
	c.ADDI(64, at, at)
	c.ADDI(-1, left, left)
	c.BNE(left, riscv64.ZERO, "one")
	c.Label("done")
	c.Argument("e", at)
	for k := range riscv64.Reg(8) {
		c.SD(sum+k, riscv64.At(at, 8*int(k)))
	}
	c.RET()
}
