package probe

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dwords are instructions on lanes of 32 bits.
func (l *list) dwords() {
	for _, n := range []operand.U8{0, 1, 7, 31} {
		l.add("VPRORD", every, n, reg.Y1, reg.Y2)
		l.add("VPRORD", every, n, reg.Z1, reg.Z2)
	}
	for _, op := range []string{"VPUNPCKLDQ", "VPUNPCKHDQ"} {
		l.add(op, every, reg.Y0, reg.Y1, reg.Y2)
		l.add(op, every, reg.Z0, reg.Z1, reg.Z2)
	}
}
