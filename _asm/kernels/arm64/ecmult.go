package arm64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// ReadTable reads a table entry by index in constant time. A counter, repeated in a vector, starts
// at the index and decreases by one for each entry read. At the wanted entry the counter is zero;
// the comparison with zero then gives a mask of ones, which selects the entry's bits.
func ReadTable(c arm64.Code, packed bool) {
	at, count, index := limbs.P0, limbs.P1, limbs.P2
	const (
		counter, minus, zero, mask arm64.Vec = 0, 1, 2, 3
	)
	sum := []arm64.Vec{4, 5, 6, 7}
	c.Argument("table", at)
	c.Argument("table.len", count)
	c.Argument("index", index)
	if packed {
		c.LSR(arm64.Imm(6), count, count)
	}
	c.VDUP(index, counter)
	for _, v := range append([]arm64.Vec{zero}, sum...) {
		c.VEOR(v, v, v)
	}
	c.VCMEQ(zero, zero, minus)

	// Successive entries use different registers: four sets of registers take turns.
	entry := func(k int) {
		first := arm64.Vec(16 + 4*(k%4))
		part := []arm64.Vec{first, first + 1, first + 2, first + 3}
		c.VLD1P(at, part...)
		c.VCMEQ(zero, counter, mask)
		c.VADD(minus, counter, counter)
		for k := range sum {
			c.VBIT(mask, part[k], sum[k])
		}
	}
	c.SUBS(arm64.Imm(4), count, count)
	c.BCC("LT", "rest")
	c.Label("four")
	for k := range 4 {
		entry(k)
	}
	c.SUBS(arm64.Imm(4), count, count)
	c.BCC("GE", "four")
	c.Label("rest")
	c.ADDS(arm64.Imm(4), count, count)
	c.BCC("EQ", "done")
	c.Label("one")
	entry(0)
	c.SUBS(arm64.Imm(1), count, count)
	c.BCC("NE", "one")
	c.Label("done")
	c.Argument("e", at)
	c.VST1P(at, sum...)
	for v := arm64.Vec(0); v < 32; v++ {
		if v < 8 && v != minus && v != zero || v >= 16 {
			c.VEOR(v, v, v)
		}
	}
	c.RET()
}
