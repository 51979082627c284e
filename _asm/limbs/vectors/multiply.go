package vectors

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Columns holds the sums of the low and high halves of limb products. Column k has the weight
// 2^(52·k). A nil column is zero. Entries 10 and 11 are second partial sums of columns 4 and 5.
type Columns [12]operand.Op

// Column returns the register of column k. If the column is nil, Column allocates and clears one.
func (m *Machine) Column(z *Columns, k int) reg.VecPhysical {
	if z[k] == nil {
		r := m.Register()
		m.Zero(r)
		z[k] = r
	}
	return z[k].(reg.VecPhysical)
}

// A Part names a half of a product, and the column to which MultiplyAdd adds it.
type Part struct {
	column int
	high   bool
}

// Low is the lower half of a product, bits 0 to 51, for column k.
func Low(k int) Part { return Part{k, false} }

// High is the upper half of a product, bits 52 to 103, for column k.
func High(k int) Part { return Part{k, true} }

// MultiplyAdd adds parts of the product x·y to columns of z. It ignores the bits of x and y from 52
// up. x may be in memory.
func (m *Machine) MultiplyAdd(z *Columns, x, y operand.Op, parts ...Part) {
	for _, p := range parts {
		if sum := m.Column(z, p.column); p.high {
			m.VPMADD52HUQ(x, y, sum)
		} else {
			m.VPMADD52LUQ(x, y, sum)
		}
	}
}

// MultiplyAddConstant is MultiplyAdd with the constant x.
func (m *Machine) MultiplyAddConstant(z *Columns, x uint64, y operand.Op, parts ...Part) {
	for _, p := range parts {
		if sum := m.Column(z, p.column); p.high {
			m.VPMADD52HUQ_BCST(m.Constant(x), y, sum)
		} else {
			m.VPMADD52LUQ_BCST(m.Constant(x), y, sum)
		}
	}
}
