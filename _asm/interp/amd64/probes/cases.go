package probes

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gpr returns the part of the general register r that an opcode with the given suffix uses.
func gpr(suffix byte, r reg.GPPhysical) operand.Op {
	switch suffix {
	case 'B':
		return r.As8L()
	case 'W':
		return r.As16()
	case 'L':
		return r.As32()
	}
	return r.As64()
}

// small returns an immediate of the type that an opcode with the given suffix takes.
func small(suffix byte) operand.Op {
	switch suffix {
	case 'B':
		return operand.I8(-2)
	case 'W':
		return operand.I16(-2)
	}
	return operand.I32(-2)
}

type list []Case

func (l *list) add(opcode, flags string, ops ...operand.Op) {
	*l = append(*l, Case{Opcode: opcode, Operands: ops, Flags: flags})
}

// All returns the cases to probe: every instruction of the interpreter on general registers, in all
// forms that differ in meaning, and most instructions on vectors.
func All() []Case {
	var l list
	l.integers()
	l.shifts()
	l.avx2()
	l.avx512()
	l.dwords()
	l.doubles()
	return l
}

const every = "CPZSO"

func (l *list) doubles() {
	for _, op := range []string{"VSUBPD", "VSUBPD.BCST", "VFMADD231PD.RZ_SAE", "VFMSUB231PD.RZ_SAE"} {
		from := operand.Op(reg.Z0)
		if strings.HasSuffix(op, "BCST") {
			from = Memory
		}
		for _, ops := range [][]operand.Op{{from, reg.Z1, reg.Z2}, {from, reg.Z1, reg.K1, reg.Z2}} {
			*l = append(*l, Case{Opcode: op, Operands: ops, Flags: every, Doubles: true})
		}
	}
}

func (l *list) integers() {
	a, b, d := reg.RAX, reg.RBX, reg.RDX
	for _, s := range []byte("BWLQ") {
		z := string(s)
		for _, op := range []string{"ADD", "ADC", "SUB", "SBB", "CMP", "AND", "OR", "XOR", "TEST"} {
			l.add(op+z, every, gpr(s, a), gpr(s, b))
			if op != "TEST" && op != "CMP" {
				l.add(op+z, every, Memory, gpr(s, b))
				l.add(op+z, every, gpr(s, a), Memory)
			}
			l.add(op+z, every, immediateLast(op, gpr(s, b), small(s))...)
		}
		l.add("SUB"+z, every, gpr(s, a), gpr(s, a))
		l.add("SBB"+z, every, gpr(s, a), gpr(s, a))
		l.add("XOR"+z, every, gpr(s, b), gpr(s, b))
		for _, op := range []string{"NEG", "NOT", "INC", "DEC"} {
			l.add(op+z, every, gpr(s, a))
			l.add(op+z, every, Memory)
		}
		l.add("MOV"+z, every, gpr(s, a), gpr(s, b))
		l.add("MOV"+z, every, Memory, gpr(s, b))
		l.add("MOV"+z, every, gpr(s, a), Memory)
		l.add("MOV"+z, every, small(s), gpr(s, b))
		l.add("XCHG"+z, every, gpr(s, a), gpr(s, b))
	}
	l.add("MOVQ", every, operand.U64(0xfedcba9876543210), b)
	l.add("MOVQ", every, operand.U32(0xfffffffe), b)
	l.add("ADDB", every, reg.AH, reg.BL)
	l.add("MOVB", every, reg.AL, reg.BH)
	for _, op := range []string{"MOVBLZX", "MOVBQZX", "MOVBQSX", "MOVBLSX", "MOVWLZX", "MOVWQZX",
		"MOVWQSX", "MOVLQZX", "MOVLQSX"} {
		to := op[4]
		if op == "MOVLQZX" { // this opcode loads only from memory
			l.add(op, every, Memory, gpr(to, b))
			continue
		}
		l.add(op, every, gpr(op[3], a), gpr(to, b))
		l.add(op, every, Memory, gpr(to, b))
	}
	for _, s := range []byte("LQ") {
		z := string(s)
		l.add("MUL"+z, "CO", gpr(s, b))
		l.add("MUL"+z, "CO", Memory)
		l.add("IMUL"+z, "CO", gpr(s, b))
		l.add("IMUL"+z, "CO", gpr(s, a), gpr(s, b))
		l.add("IMUL3"+z, "CO", operand.I8(-5), gpr(s, a), gpr(s, b))
		l.add("MULX"+z, every, gpr(s, a), gpr(s, b), gpr(s, reg.RCX))
		l.add("MULX"+z, every, gpr(s, a), gpr(s, b), gpr(s, b))
		l.add("MULX"+z, every, Memory, gpr(s, d), gpr(s, a))
		for _, op := range []string{"ADCX", "ADOX"} {
			l.add(op+z, every, gpr(s, a), gpr(s, b))
			l.add(op+z, every, Memory, gpr(s, b))
		}
		l.add("ANDN"+z, "CZSO", gpr(s, a), gpr(s, b), gpr(s, d))
		l.add("BSWAP"+z, every, gpr(s, a))
		l.add("LEA"+z, every, operand.Mem{Base: a, Index: b, Scale: 4, Disp: -7}, gpr(s, d))
		for _, op := range []string{"BLSR", "BLSI", "BLSMSK"} {
			l.add(op+z, "CZSO", gpr(s, a), gpr(s, b))
		}
		l.add("TZCNT"+z, "CZ", gpr(s, a), gpr(s, b))
		l.add("LZCNT"+z, "CZ", gpr(s, a), gpr(s, b))
		l.add("POPCNT"+z, every, gpr(s, a), gpr(s, b))
		l.add("PDEP"+z, every, gpr(s, a), gpr(s, b), gpr(s, d))
		l.add("PEXT"+z, every, gpr(s, a), gpr(s, b), gpr(s, d))
		for _, op := range []string{"BT", "BTS", "BTR", "BTC"} {
			l.add(op+z, "CZ", gpr(s, a), gpr(s, b))
			l.add(op+z, "CZ", operand.U8(13), gpr(s, b))
			l.add(op+z, "CZ", operand.U8(31), Memory)
		}
	}
	for _, c := range []string{"OS", "OC", "CS", "CC", "EQ", "NE", "LS", "HI", "MI", "PL", "PS", "PC",
		"LT", "GE", "LE", "GT"} {
		l.add("SET"+c, every, reg.AL)
		l.add("CMOVQ"+c, every, a, b)
		l.add("CMOVL"+c, every, reg.EAX, reg.EBX)
	}
	for _, op := range []string{"CLC", "STC", "CMC"} {
		l.add(op, every)
	}
}

// immediateLast returns the register r and the immediate imm in the order that the opcode op takes:
// comparisons take the immediate last.
func immediateLast(op string, r, imm operand.Op) []operand.Op {
	if op == "CMP" {
		return []operand.Op{r, imm}
	}
	return []operand.Op{imm, r}
}

func (l *list) shifts() {
	a, b, c := reg.RAX, reg.RBX, reg.RCX
	for _, s := range []byte("BWLQ") {
		z := string(s)
		for _, op := range []string{"SHL", "SHR", "SAR"} {
			l.add(op+z, every, operand.U8(0), gpr(s, a))
			l.add(op+z, every, operand.U8(1), gpr(s, a))
			l.add(op+z, "CPZS", operand.U8(7), gpr(s, a))
			l.add(op+z, "", reg.CL, gpr(s, a))
		}
		for _, op := range []string{"ROL", "ROR"} {
			l.add(op+z, every, operand.U8(1), gpr(s, a))
			l.add(op+z, "CPZS", operand.U8(5), gpr(s, a))
			l.add(op+z, "", reg.CL, gpr(s, a))
		}
		l.add("RCL"+z, every, operand.U8(1), gpr(s, a))
		l.add("RCR"+z, every, operand.U8(1), gpr(s, a))
	}
	for _, s := range []byte("LQ") {
		z := string(s)
		for _, op := range []string{"SHL", "SHR"} {
			l.add(op+z, every, operand.U8(1), gpr(s, a), gpr(s, b))
			l.add(op+z, "CPZS", operand.U8(29), gpr(s, a), gpr(s, b))
			l.add(op+z, "CPZS", operand.U8(6), gpr(s, a), Memory)
			l.add(op+z, "", reg.CL, gpr(s, a), gpr(s, b))
		}
		for _, op := range []string{"SHLX", "SHRX", "SARX"} {
			l.add(op+z, every, gpr(s, c), gpr(s, a), gpr(s, b))
			l.add(op+z, every, gpr(s, c), Memory, gpr(s, b))
		}
		l.add("RORX"+z, every, operand.U8(0), gpr(s, a), gpr(s, b))
		l.add("RORX"+z, every, operand.U8(19), gpr(s, a), gpr(s, b))
		l.add("BZHI"+z, "CZSO", gpr(s, c), gpr(s, a), gpr(s, b))
		l.add("BEXTR"+z, "CZO", gpr(s, c), gpr(s, a), gpr(s, b))
	}
}

func (l *list) avx2() {
	type set [3]operand.Op
	for _, v := range []set{{reg.X0, reg.X1, reg.X2}, {reg.Y0, reg.Y1, reg.Y2}} {
		for _, op := range strings.Fields("VPAND VPOR VPXOR VPANDN VPADDQ VPSUBQ VPADDD VPSUBD " +
			"VPMULUDQ VPCMPEQQ VPCMPEQD VPCMPGTQ VPSLLVQ VPSRLVQ VPUNPCKLQDQ VPUNPCKHQDQ") {
			l.add(op, every, v[0], v[1], v[2])
			l.add(op, every, Memory, v[1], v[2])
		}
		for _, op := range strings.Fields("VPSLLQ VPSRLQ VPSLLD VPSRLD") {
			l.add(op, every, operand.U8(9), v[1], v[2])
		}
		l.add("VPSLLQ", every, reg.X0, v[1], v[2])
		l.add("VPXOR", every, v[1], v[1], v[2])
		l.add("VPCMPEQQ", every, v[1], v[1], v[2])
		l.add("VPSHUFD", every, operand.U8(0x4e), v[1], v[2])
		l.add("VPSHUFD", every, operand.U8(0xb1), v[1], v[2])
		l.add("VPBROADCASTQ", every, reg.X1, v[2])
		l.add("VPBROADCASTQ", every, Memory, v[2])
		l.add("VPBROADCASTD", every, Memory, v[2])
		l.add("VPBLENDD", every, operand.U8(0x5a), v[0], v[1], v[2])
		l.add("VPBLENDVB", every, v[0], v[1], v[2], v[2])
		l.add("VMOVDQU", every, v[1], v[2])
		l.add("VMOVDQU", every, Memory, v[2])
		l.add("VMOVDQU", every, v[2], Memory)
		l.add("VPTEST", every, v[1], v[2])
		l.add("VPMOVMSKB", every, v[1], reg.EAX)
	}
	l.add("VPERMQ", every, operand.U8(0x93), reg.Y1, reg.Y2)
	for _, imm := range []operand.U8{0x20, 0x31, 0x03, 0x18, 0x81} {
		l.add("VPERM2I128", every, imm, reg.Y0, reg.Y1, reg.Y2)
	}
	l.add("VEXTRACTI128", every, operand.U8(1), reg.Y1, reg.X2)
	l.add("VEXTRACTI128", every, operand.U8(0), reg.Y1, Memory)
	l.add("VINSERTI128", every, operand.U8(1), reg.X0, reg.Y1, reg.Y2)
	l.add("VBROADCASTI128", every, Memory, reg.Y2)
	l.add("VMOVQ", every, reg.RAX, reg.X2)
	l.add("VMOVQ", every, reg.X1, reg.RBX)
	l.add("VMOVQ", every, reg.X1, reg.X2)
	l.add("VMOVD", every, reg.EAX, reg.X2)
	l.add("VPINSRQ", every, operand.U8(1), reg.RAX, reg.X1, reg.X2)
	l.add("VPEXTRQ", every, operand.U8(1), reg.X1, reg.RBX)
	for _, op := range strings.Fields("PAND POR PXOR PANDN PADDQ PSUBQ PADDL PSUBL PCMPEQL " +
		"PCMPEQQ PMULULQ PUNPCKLQDQ PUNPCKHQDQ PUNPCKLLQ PUNPCKHLQ MOVOU MOVUPS PSHUFB " +
		"SHA256MSG1 SHA256MSG2") {
		l.add(op, every, reg.X1, reg.X2)
	}
	l.add("PXOR", every, reg.X2, reg.X2)
	l.add("SHA256RNDS2", every, reg.X0, reg.X1, reg.X2)
	for _, n := range []operand.U8{0, 4, 15, 16, 21, 31, 32, 255} {
		l.add("PALIGNR", every, n, reg.X1, reg.X2)
	}
	l.add("PSHUFL", every, operand.U8(0x39), reg.X1, reg.X2)
	l.add("MOVQ", every, reg.RAX, reg.X2)
	l.add("MOVQ", every, reg.X1, reg.RBX)
	l.add("MOVQ", every, Memory, reg.X2)
	l.add("VZEROUPPER", every)
}

func (l *list) avx512() {
	type set [3]operand.Op
	k := reg.K1
	for _, v := range []set{{reg.Y0, reg.Y1, reg.Y2}, {reg.Z0, reg.Z1, reg.Z2}} {
		for _, op := range strings.Fields("VPANDQ VPORQ VPXORQ VPANDNQ VPADDQ VPSUBQ VPMULUDQ " +
			"VPMULLQ VPMINUQ VPMAXUQ VPSLLVQ VPSRLVQ VPSRAVQ VPUNPCKLQDQ VPUNPCKHQDQ VPERMQ VPERMI2Q " +
			"VPERMT2Q VPMADD52LUQ VPMADD52HUQ VPBLENDMQ") {
			if op != "VPBLENDMQ" {
				l.add(op, every, v[0], v[1], v[2])
			}
			l.add(op, every, v[0], v[1], k, v[2])
			l.add(op+".Z", every, v[0], v[1], k, v[2])
			if !strings.HasPrefix(op, "VPUNPCK") {
				l.add(op+".BCST", every, Memory, v[1], k, v[2])
			}
		}
		for _, op := range strings.Fields("VPSLLQ VPSRLQ VPSRAQ") {
			l.add(op, every, operand.U8(9), v[1], k, v[2])
			l.add(op, every, reg.X0, v[1], k, v[2])
		}
		for _, n := range []operand.U8{0, 1, 7, 63, 64, 255} {
			l.add("VPROLQ", every, n, v[1], v[2])
			l.add("VPROLQ", every, n, v[1], k, v[2])
		}
		for _, op := range strings.Fields("VPSHLDQ VPSHRDQ") {
			l.add(op, every, operand.U8(52), v[0], v[1], v[2])
			l.add(op, every, operand.U8(12), v[0], v[1], k, v[2])
		}
		for _, op := range strings.Fields("VPCMPEQQ VPCMPGTQ VPTESTMQ VPTESTNMQ") {
			l.add(op, every, v[0], v[1], reg.K2)
			l.add(op, every, v[0], v[1], k, reg.K2)
			l.add(op, every, Memory, v[1], k, reg.K2)
		}
		for p := range operand.U8(8) {
			l.add("VPCMPUQ", every, p, v[0], v[1], reg.K2)
			l.add("VPCMPQ", every, p, v[0], v[1], k, reg.K2)
		}
		l.add("VPTERNLOGQ", every, operand.U8(0xff), v[2], v[2], v[2])
		l.add("VPTERNLOGQ", every, operand.U8(0xca), v[0], v[1], v[2])
		l.add("VPTERNLOGQ", every, operand.U8(0x96), v[0], v[1], k, v[2])
		l.add("VALIGNQ", every, operand.U8(3), v[0], v[1], k, v[2])
		l.add("VPERMQ", every, operand.U8(0x1b), v[1], k, v[2])
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
	l.add("VEXTRACTI64X4", every, operand.U8(1), reg.Z1, reg.Y2)
	l.add("VINSERTI64X4", every, operand.U8(1), reg.Y0, reg.Z1, reg.Z2)
	l.add("VEXTRACTI64X2", every, operand.U8(3), reg.Z1, reg.X2)
	l.add("VBROADCASTI64X4", every, Memory, reg.Z2)
	l.add("VBROADCASTI64X2", every, Memory, reg.Z2)
	for _, s := range []string{"B", "W", "D", "Q"} {
		for _, op := range []string{"KAND", "KANDN", "KOR", "KXOR", "KXNOR", "KADD"} {
			l.add(op+s, every, reg.K1, reg.K2, reg.K2)
		}
		l.add("KNOT"+s, every, reg.K1, reg.K2)
		l.add("KSHIFTL"+s, every, operand.U8(3), reg.K1, reg.K2)
		l.add("KSHIFTR"+s, every, operand.U8(3), reg.K1, reg.K2)
		l.add("KORTEST"+s, every, reg.K1, reg.K2)
		wide := operand.Op(reg.EAX)
		if s == "Q" {
			wide = reg.RAX
		}
		l.add("KMOV"+s, every, wide, reg.K2)
		l.add("KMOV"+s, every, reg.K1, wide)
		l.add("KMOV"+s, every, reg.K1, Memory)
	}
}
