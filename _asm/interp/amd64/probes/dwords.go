package probes

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dwords adds the cases of instructions on 32-bit lanes to the list.
func (l *list) dwords() {
	for _, n := range []operand.U8{0, 1, 7, 31} {
		l.add("VPRORD", every, n, reg.Y1, reg.Y2)
		l.add("VPRORD", every, n, reg.Z1, reg.Z2)
	}
	for _, op := range []string{"VPUNPCKLDQ", "VPUNPCKHDQ"} {
		l.add(op, every, reg.Y0, reg.Y1, reg.Y2)
		l.add(op, every, reg.Z0, reg.Z1, reg.Z2)
	}
	l.add("VPMOVQD", every, reg.Z1, reg.Y2)
	l.add("VPMOVQD", every, reg.Y1, reg.X2)
	type set [3]operand.Op
	for _, v := range []set{{reg.Y0, reg.Y1, reg.Y2}, {reg.Z0, reg.Z1, reg.Z2}} {
		l.add("VPTESTMD", every, v[0], v[1], reg.K2)
		for p := range operand.U8(8) {
			l.add("VPCMPUD", every, p, v[0], v[1], reg.K2)
		}
		l.add("VPORD", every, v[0], v[1], v[2])
		l.add("VPORD", every, v[0], v[1], reg.K1, v[2])
		l.add("VPORD.Z", every, v[0], v[1], reg.K1, v[2])
		l.add("VPCOMPRESSD", every, v[1], reg.K1, v[2])
		l.add("VPCOMPRESSD.Z", every, v[1], reg.K1, v[2])
	}
	l.add("VPBROADCASTD", every, reg.EAX, reg.Y2)
	l.add("VPBROADCASTD", every, reg.EAX, reg.Z2)
}
