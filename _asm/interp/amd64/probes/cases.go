package probes

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type list []Case

func (l *list) add(opcode, flags string, ops ...operand.Op) {
	*l = append(*l, Case{Opcode: opcode, Operands: ops, Flags: flags})
}

// All returns the cases to probe: the instructions of the interpreter, in all forms that differ in
// meaning.
func All() []Case {
	var l list
	l.integers()
	l.avx2()
	l.avx512()
	l.dwords()
	l.doubles()
	return l
}

const every = "CPZSO"

func (l *list) doubles() {
	// The sign of a difference of 0 depends on the rounding mode, so VSUBPD runs in two modes.
	const towardZero, down = 0x7f80, 0xbfc0
	for _, op := range []string{"VSUBPD", "VFMADD231PD", "VFMSUB231PD"} {
		for _, ops := range [][]operand.Op{
			{reg.X0, reg.X1, reg.X2}, {reg.Y0, reg.Y1, reg.Y2}, {Memory, reg.Y1, reg.Y2},
			{reg.Z0, reg.Z1, reg.Z2}, {reg.Z0, reg.Z1, reg.K1, reg.Z2},
		} {
			c := Case{Opcode: op, Operands: ops, Flags: every, Doubles: true, MXCSR: towardZero}
			*l = append(*l, c)
			if c.MXCSR = down; op == "VSUBPD" {
				*l = append(*l, c)
			}
		}
	}
	for _, v := range []uint32{towardZero, down, 0x1fbf} {
		*l = append(*l, Case{Opcode: "STMXCSR", Operands: []operand.Op{Memory}, Flags: every, MXCSR: v})
	}
	for _, op := range []string{"VSUBPD.BCST", "VFMADD231PD.RZ_SAE", "VFMSUB231PD.RZ_SAE"} {
		from := operand.Op(reg.Z0)
		if strings.HasSuffix(op, "BCST") {
			from = Memory
		}
		for _, ops := range [][]operand.Op{{from, reg.Z1, reg.Z2}, {from, reg.Z1, reg.K1, reg.Z2}} {
			c := Case{Opcode: op, Operands: ops, Flags: every, Doubles: true, MXCSR: towardZero}
			*l = append(*l, c)
		}
	}
}

func (l *list) integers() {
	a, b, c, d := reg.RAX, reg.RBX, reg.RCX, reg.RDX
	for _, op := range strings.Fields("ADDQ ADCQ SUBQ SBBQ CMPQ ANDQ ORQ XORQ TESTQ") {
		l.add(op, every, a, b)
		if op != "TESTQ" && op != "CMPQ" {
			l.add(op, every, Memory, b)
			l.add(op, every, a, Memory)
		}
		if op != "CMPQ" {
			l.add(op, every, operand.I32(-2), b)
		}
	}
	l.add("CMPQ", every, b, operand.I32(-2)) // comparisons take the immediate last
	for _, op := range strings.Fields("ADDQ ADCQ SUBQ SBBQ ANDQ ORQ XORQ TESTQ CMPQ ADCXQ ADOXQ") {
		l.add(op, every, a, a)
	}
	for _, op := range []string{"NEGQ", "NOTQ", "INCQ", "DECQ"} {
		l.add(op, every, a)
		l.add(op, every, Memory)
	}
	for _, op := range []string{"ANDL", "ORL", "XORL", "TESTL", "MOVL"} {
		l.add(op, every, reg.EAX, reg.EBX)
		l.add(op, every, operand.U32(0xfffffffe), reg.EBX)
	}
	l.add("XORL", every, reg.EBX, reg.EBX)
	l.add("DECL", every, reg.EAX)
	l.add("ADDB", every, reg.AH, reg.BL)
	l.add("TESTB", every, reg.AL, reg.BL)
	l.add("TESTB", every, operand.U8(6), reg.BH)
	l.add("MOVB", every, reg.AL, reg.BH)
	l.add("MOVB", every, operand.I8(-2), reg.BL)
	l.add("MOVB", every, reg.AL, Memory)
	l.add("MOVB", every, Memory, reg.BL)
	l.add("MOVL", every, Memory, reg.EBX)
	l.add("MOVL", every, reg.EAX, Memory)
	l.add("MOVQ", every, a, b)
	l.add("MOVQ", every, Memory, b)
	l.add("MOVQ", every, a, Memory)
	l.add("MOVQ", every, operand.I32(-2), b)
	l.add("MOVQ", every, operand.I32(-2), Memory)
	l.add("MOVQ", every, operand.U64(0xfedcba9876543210), b)
	l.add("MOVQ", every, operand.U32(0xfffffffe), b)
	l.add("MOVBLZX", every, reg.AL, reg.EBX)
	l.add("MOVBLZX", every, Memory, reg.EBX)
	l.add("MOVLQZX", every, Memory, b)
	l.add("IMULQ", "CO", b)
	l.add("IMULQ", "CO", a, b)
	l.add("IMUL3Q", "CO", operand.I8(-5), a, b)
	l.add("MULXQ", every, a, b, c)
	l.add("MULXQ", every, a, b, b)
	l.add("MULXQ", every, d, a, d)
	l.add("IMULQ", "CO", a, a)
	l.add("MULXQ", every, Memory, d, a)
	for _, op := range []string{"ADCXQ", "ADOXQ"} {
		l.add(op, every, a, b)
		l.add(op, every, Memory, b)
	}
	l.add("ANDNQ", "CZSO", a, b, d)
	l.add("LEAQ", every, operand.Mem{Base: a, Index: b, Scale: 4, Disp: -7}, d)
	l.add("TZCNTQ", "CZ", a, b)
	l.add("POPCNTL", every, reg.EAX, reg.EBX)
	l.add("BZHIQ", "CZSO", c, a, b)
	for _, cc := range strings.Fields("OS OC CS CC EQ NE LS HI MI PL PS PC LT GE LE GT") {
		l.add("J"+cc, every)
		l.add("SET"+cc, every, reg.AL)
		l.add("SET"+cc, every, Memory)
		l.add("CMOVQ"+cc, every, a, b)
		l.add("CMOVL"+cc, every, reg.EAX, reg.EBX)
	}
	for _, op := range []string{"JZ", "JNZ", "JMP"} {
		l.add(op, every)
	}
	for _, op := range []string{"SHLQ", "SHRQ", "SARQ"} {
		l.add(op, every, operand.U8(0), a)
		l.add(op, every, operand.U8(1), a)
		for _, n := range []operand.U8{7, 32, 63} {
			l.add(op, "CPZS", n, a)
		}
		l.add(op, "", reg.CL, a)
		if op == "SARQ" {
			continue
		}
		l.add(op, every, operand.U8(1), a, b)
		l.add(op, "CPZS", operand.U8(29), a, b)
		l.add(op, "CPZS", operand.U8(63), a, b)
		l.add(op, "CPZS", operand.U8(29), a, a)
		l.add(op, "CPZS", operand.U8(6), a, Memory)
		l.add(op, "", reg.CL, a, b)
	}
	for _, op := range []string{"SHLL", "SHRL"} {
		for _, n := range []operand.U8{0, 1, 7, 31, 33} {
			l.add(op, "CPZS", n, reg.EAX)
		}
		l.add(op, "", reg.CL, reg.EAX)
	}
	for _, op := range []string{"SHLXQ", "SHRXQ", "SARXQ"} {
		l.add(op, every, c, a, b)
		l.add(op, every, c, Memory, b)
	}
}

func (l *list) avx2() {
	type set [3]operand.Op
	for _, v := range []set{{reg.X0, reg.X1, reg.X2}, {reg.Y0, reg.Y1, reg.Y2}} {
		for _, op := range strings.Fields("VPAND VPOR VPXOR VPADDQ VPSUBQ VPADDD VPSUBD " +
			"VPCMPEQQ VPCMPGTQ VPSRLVQ VPSLLVQ VPUNPCKLQDQ VPUNPCKHQDQ VPMULUDQ") {
			l.add(op, every, v[0], v[1], v[2])
			l.add(op, every, Memory, v[1], v[2])
		}
		for _, op := range strings.Fields("VPSLLQ VPSRLQ VPSRLD") {
			for _, n := range []operand.U8{1, 9, 52, 63, 64} {
				l.add(op, every, n, v[1], v[2])
			}
		}
		l.add("VPSLLQ", every, reg.X0, v[1], v[2])
		l.add("VPSRLQ", every, reg.X0, v[1], v[2])
		l.add("VPSHUFB", every, v[0], v[1], v[2])
		l.add("VPSHUFB", every, Memory, v[1], v[1])
		l.add("VPBLENDVB", every, v[0], v[1], v[2], v[2])
		l.add("VPBLENDVB", every, v[1], Memory, v[2], v[1])
		l.add("VMOVMSKPD", every, v[1], reg.EBX)
		for _, imm := range []operand.U8{0x4e, 0x44, 0xee, 0x39} {
			l.add("VPSHUFD", every, imm, v[1], v[2])
		}
		l.add("VPXOR", every, v[1], v[1], v[2])
		l.add("VPCMPEQQ", every, v[1], v[1], v[2])
		l.add("VPBROADCASTQ", every, Memory, v[2])
		l.add("VPBROADCASTQ", every, reg.X1, v[2])
		l.add("VPBROADCASTD", every, Memory, v[2])
		l.add("VMOVDQU", every, v[1], v[2])
		l.add("VMOVDQU", every, Memory, v[2])
		l.add("VMOVDQU", every, v[2], Memory)
	}
	l.add("VBROADCASTI128", every, Memory, reg.Y2)
	l.add("VINSERTI128", every, operand.U8(1), reg.X0, reg.Y1, reg.Y2)
	for _, imm := range []operand.U8{0x02, 0x13, 0x20, 0x31, 0x83, 0x28} {
		l.add("VPERM2I128", every, imm, reg.Y0, reg.Y1, reg.Y2)
	}
	l.add("VPERMQ", every, operand.U8(0x4b), reg.Y1, reg.Y2)
	l.add("VPERMQ", every, operand.U8(0x1e), Memory, reg.Y2)
	l.add("VPERM2I128", every, operand.U8(0x31), Memory, reg.Y1, reg.Y2)
	l.add("VMOVQ", every, reg.RAX, reg.X2)
	l.add("VMOVQ", every, Memory, reg.X2)
	l.add("VPINSRQ", every, operand.U8(1), reg.RAX, reg.X1, reg.X2)
	l.add("VPINSRQ", every, operand.U8(0), Memory, reg.X1, reg.X2)
	for _, op := range strings.Fields("PXOR PADDL PUNPCKLLQ PUNPCKHLQ PUNPCKLQDQ PUNPCKHQDQ MOVOU " +
		"PSHUFB SHA256MSG1 SHA256MSG2") {
		l.add(op, every, reg.X1, reg.X2)
	}
	l.add("PXOR", every, reg.X2, reg.X2)
	l.add("SHA256RNDS2", every, reg.X0, reg.X1, reg.X2)
	for _, n := range []operand.U8{0, 4, 15, 16, 21, 31, 32, 255} {
		l.add("PALIGNR", every, n, reg.X1, reg.X2)
	}
	l.add("PSHUFL", every, operand.U8(0x39), reg.X1, reg.X2)
	l.add("MOVOU", every, Memory, reg.X2)
	l.add("MOVQ", every, reg.X1, Memory)
	l.add("MOVQ", every, Memory, reg.X2)
	l.add("VZEROUPPER", every)
	l.add("VZEROALL", every)
}

func (l *list) avx512() {
	type set [3]operand.Op
	k := reg.K1
	for _, v := range []set{{reg.Y0, reg.Y1, reg.Y2}, {reg.Z0, reg.Z1, reg.Z2}} {
		for _, op := range strings.Fields("VPANDQ VPORQ VPXORQ VPANDNQ VPADDQ VPSUBQ VPMULLQ VPMULUDQ " +
			"VPSRLVQ VPSLLVQ VPUNPCKLQDQ VPUNPCKHQDQ VPERMQ VPERMI2Q VPMADD52LUQ " +
			"VPMADD52HUQ") {
			l.add(op, every, v[0], v[1], v[2])
			l.add(op, every, v[0], v[1], k, v[2])
			l.add(op+".Z", every, v[0], v[1], k, v[2])
			l.add(op, every, v[2], v[1], k, v[2])
			if !strings.HasPrefix(op, "VPUNPCK") {
				l.add(op+".BCST", every, Memory, v[1], k, v[2])
			}
		}
		for _, op := range strings.Fields("VPSLLQ VPSRLQ VPSRAQ") {
			for _, n := range []operand.U8{1, 9, 52, 63, 64} {
				l.add(op, every, n, v[1], k, v[2])
			}
			l.add(op, every, reg.X0, v[1], k, v[2])
		}
		for _, n := range []operand.U8{0, 1, 7, 63, 64, 255} {
			l.add("VPROLQ", every, n, v[1], v[2])
			l.add("VPROLQ", every, n, v[1], k, v[2])
		}
		l.add("VPSHRDQ", every, operand.U8(52), v[0], v[1], v[2])
		l.add("VPSHRDQ", every, operand.U8(12), v[0], v[1], k, v[2])
		for _, op := range strings.Fields("VPTESTMQ VPTESTNMQ") {
			l.add(op, every, v[0], v[1], reg.K2)
			l.add(op, every, v[1], v[1], reg.K2)
			l.add(op, every, v[0], v[1], k, reg.K2)
			l.add(op, every, Memory, v[1], k, reg.K2)
			l.add(op+".BCST", every, Memory, v[1], reg.K2)
		}
		for p := range operand.U8(8) {
			l.add("VPCMPUQ", every, p, v[0], v[1], reg.K2)
			l.add("VPCMPUQ", every, p, v[0], v[1], k, reg.K2)
		}
		l.add("VPTERNLOGQ", every, operand.U8(0xff), v[2], v[2], v[2])
		l.add("VPTERNLOGQ", every, operand.U8(0xca), v[0], v[1], v[2])
		l.add("VPTERNLOGQ", every, operand.U8(0xf8), v[0], v[1], v[2])
		l.add("VPTERNLOGQ", every, operand.U8(0x96), v[0], v[1], k, v[2])
		l.add("VPTERNLOGQ", every, operand.U8(0xfe), v[0], v[1], v[2])
		l.add("VPTERNLOGQ.Z", every, operand.U8(0xfe), v[0], v[1], k, v[2])
		l.add("VPERMQ", every, operand.U8(0x1e), v[1], v[2])
		l.add("VPERMQ", every, operand.U8(0xb1), v[1], k, v[2])
		l.add("VPERMQ.Z", every, operand.U8(0xb1), v[1], k, v[2])
		for _, op := range []string{"VPSLLQ.Z", "VPSRLQ.Z"} {
			l.add(op, every, operand.U8(9), v[1], k, v[2])
		}
		l.add("VMOVDQA64", every, v[1], k, v[2])
		l.add("VMOVDQA64.Z", every, v[1], k, v[2])
		l.add("VPBROADCASTQ", every, Memory, k, v[2])
		l.add("VMOVDQU64.Z", every, Memory, k, v[2])
		for _, imm := range []operand.U8{0x02, 0x44, 0x87, 0xdd} {
			l.add("VSHUFI64X2", every, imm, v[0], v[1], v[2])
		}
		l.add("VPBROADCASTQ", every, reg.RAX, v[2])
		l.add("VPBROADCASTQ", every, reg.RAX, k, v[2])
		l.add("VPBROADCASTQ.Z", every, Memory, k, v[2])
		l.add("VMOVDQU64", every, Memory, k, v[2])
		l.add("VMOVDQU64", every, v[2], k, Memory)
		l.add("VMOVDQU64.Z", every, v[1], k, v[2])
	}
	l.add("VINSERTI64X4", every, operand.U8(1), reg.Y0, reg.Z1, reg.Z2)
	l.add("VINSERTI64X4", every, operand.U8(0), Memory, reg.Z1, reg.Z2)
	l.add("VPSHUFD", every, operand.U8(0x4e), reg.Z1, reg.Z2)
	l.add("VPSHUFD", every, operand.U8(0x93), Memory, reg.Z2)
	l.add("KANDB", every, reg.K1, reg.K2, reg.K2)
	l.add("KORB", every, reg.K1, reg.K2, reg.K2)
	l.add("KNOTB", every, reg.K1, reg.K2)
	l.add("KSHIFTLB", every, operand.U8(3), reg.K1, reg.K2)
	for _, s := range []string{"B", "W", "Q"} {
		wide := operand.Op(reg.EAX)
		if s == "Q" {
			wide = reg.RAX
		}
		l.add("KMOV"+s, every, wide, reg.K2)
		l.add("KMOV"+s, every, reg.K1, wide)
		l.add("KMOV"+s, every, reg.K1, Memory)
	}
}

// dwords adds the cases of AVX-512 instructions on 32-bit lanes to the list.
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
