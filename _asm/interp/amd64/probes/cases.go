package probes

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

type list []Case

// named maps the names of operands in forms to the operands.
var named = map[string]operand.Op{
	"AX": reg.RAX, "BX": reg.RBX, "CX": reg.RCX, "DX": reg.RDX, "EAX": reg.EAX, "EBX": reg.EBX,
	"AL": reg.AL, "BL": reg.BL, "CL": reg.CL, "AH": reg.AH, "BH": reg.BH,
	"X0": reg.X0, "X1": reg.X1, "X2": reg.X2, "Y0": reg.Y0, "Y1": reg.Y1, "Y2": reg.Y2,
	"Z0": reg.Z0, "Z1": reg.Z1, "Z2": reg.Z2, "K1": reg.K1, "K2": reg.K2, "M": Memory,
}

// operandOf returns the operand with the given text: a name, or an immediate. A negative immediate
// has 32 bits, or eight if it ends in b.
func operandOf(text string) operand.Op {
	if o, ok := named[text]; ok {
		return o
	}
	if text[0] == '-' {
		n, err := strconv.ParseInt(strings.TrimSuffix(text, "b"), 0, 32)
		switch {
		case err != nil:
			panic(err)
		case strings.HasSuffix(text, "b"):
			return operand.I8(n)
		}
		return operand.I32(n)
	}
	n, err := strconv.ParseUint(text, 0, 64)
	switch {
	case err != nil:
		panic(err)
	case n < 1<<8:
		return operand.U8(n)
	case n < 1<<32:
		return operand.U32(n)
	}
	return operand.U64(n)
}

// add adds a case for each of the opcodes and each of the forms. A form is a list of operands in
// the order of Go's assembler, where M is the operand in memory. It may also have suffixes of the
// opcode. Semicolons separate forms.
func (l *list) add(opcodes, flags, forms string) {
	for opcode := range strings.FieldsSeq(opcodes) {
		for form := range strings.SplitSeq(forms, ";") {
			c := Case{Opcode: opcode, Flags: flags}
			for text := range strings.FieldsSeq(form) {
				if text[0] == '.' {
					c.Opcode += text
				} else {
					c.Operands = append(c.Operands, operandOf(text))
				}
			}
			*l = append(*l, c)
		}
	}
}

// each adds the forms once for each of the letters, the names of vector registers, in place of V.
func (l *list) each(letters, opcodes, forms string) {
	for _, v := range letters {
		l.add(opcodes, every, strings.ReplaceAll(forms, "V", string(v)))
	}
}

// with returns the form that begins with an immediate, for each of the numbers.
func with(form string, numbers ...uint) string {
	forms := make([]string, len(numbers))
	for k, n := range numbers {
		forms[k] = fmt.Sprint(n, " ", form)
	}
	return strings.Join(forms, ";")
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
	l.add("ADDQ ADCQ SUBQ SBBQ ANDQ ORQ XORQ", every, "AX BX; M BX; AX M; -2 BX; AX AX")
	l.add("TESTQ", every, "AX BX; -2 BX; AX AX")
	l.add("CMPQ", every, "AX BX; BX -2; AX AX") // comparisons take the immediate last
	l.add("ADCXQ ADOXQ", every, "AX AX; AX BX; M BX")
	l.add("NEGQ NOTQ INCQ DECQ", every, "AX; M")
	l.add("ANDL ORL XORL TESTL MOVL", every, "EAX EBX; 0xfffffffe EBX")
	l.add("XORL", every, "EBX EBX")
	l.add("DECL", every, "EAX")
	l.add("ADDB", every, "AH BL")
	l.add("TESTB", every, "AL BL; 6 BH")
	l.add("MOVB", every, "AL BH; -2b BL; AL M; M BL")
	l.add("MOVL", every, "M EBX; EAX M")
	l.add("MOVQ", every, "AX BX; M BX; AX M; -2 BX; -2 M; 0xfedcba9876543210 BX; 0xfffffffe BX")
	l.add("MOVBLZX", every, "AL EBX; M EBX")
	l.add("MOVLQZX", every, "M BX")
	l.add("IMULQ", "CO", "BX; AX BX; AX AX")
	l.add("IMUL3Q", "CO", "-5b AX BX")
	l.add("MULXQ", every, "AX BX CX; AX BX BX; DX AX DX; M DX AX")
	l.add("ANDNQ", "CZSO", "AX BX DX")
	address := operand.Mem{Base: reg.RAX, Index: reg.RBX, Scale: 4, Disp: -7}
	*l = append(*l, Case{Opcode: "LEAQ", Operands: []operand.Op{address, reg.RDX}, Flags: every})
	l.add("TZCNTQ", "CZ", "AX BX")
	l.add("POPCNTL", every, "EAX EBX")
	l.add("BZHIQ", "CZSO", "CX AX BX")
	for cc := range strings.FieldsSeq("OS OC CS CC EQ NE LS HI MI PL PS PC LT GE LE GT") {
		l.add("J"+cc, every, "")
		l.add("SET"+cc, every, "AL; M")
		l.add("CMOVQ"+cc, every, "AX BX")
		l.add("CMOVL"+cc, every, "EAX EBX")
	}
	l.add("JZ JNZ JMP", every, "")
	l.add("SHLQ SHRQ SARQ", every, with("AX", 0, 1))
	l.add("SHLQ SHRQ SARQ", "CPZS", with("AX", 7, 32, 63))
	l.add("SHLQ SHRQ SARQ", "", "CL AX")
	l.add("SHLQ SHRQ", every, "1 AX BX")
	l.add("SHLQ SHRQ", "CPZS", "29 AX BX; 63 AX BX; 29 AX AX; 6 AX M")
	l.add("SHLQ SHRQ", "", "CL AX BX")
	l.add("SHLL SHRL", "CPZS", with("EAX", 0, 1, 7, 31, 33))
	l.add("SHLL SHRL", "", "CL EAX")
	l.add("SHLXQ SHRXQ SARXQ", every, "CX AX BX; CX M BX")
}

func (l *list) avx2() {
	l.each("XY", "VPAND VPOR VPXOR VPADDQ VPSUBQ VPADDD VPSUBD VPCMPEQQ VPCMPGTQ VPSRLVQ VPSLLVQ "+
		"VPUNPCKLQDQ VPUNPCKHQDQ VPMULUDQ", "V0 V1 V2; M V1 V2")
	l.each("XY", "VPSLLQ VPSRLQ VPSRLD", with("V1 V2", 1, 9, 52, 63, 64))
	l.each("XY", "VPSLLQ VPSRLQ", "X0 V1 V2")
	l.each("XY", "VPSHUFB", "V0 V1 V2; M V1 V1")
	l.each("XY", "VPBLENDVB", "V0 V1 V2 V2; V1 M V2 V1")
	l.each("XY", "VMOVMSKPD", "V1 EBX")
	l.each("XY", "VPSHUFD", with("V1 V2", 0x4e, 0x44, 0xee, 0x39))
	l.each("XY", "VPBLENDD", with("V0 V1 V2", 0x03, 0x0c, 0x09)+"; 0x0c M V1 V2")
	l.each("XY", "VPXOR VPCMPEQQ", "V1 V1 V2")
	l.each("XY", "VPBROADCASTQ", "M V2; X1 V2")
	l.each("XY", "VPBROADCASTD", "M V2")
	l.each("XY", "VMOVDQU", "V1 V2; M V2; V2 M")
	l.add("VBROADCASTI128", every, "M Y2")
	l.add("VINSERTI128", every, "1 X0 Y1 Y2")
	l.add("VPERM2I128", every, with("Y0 Y1 Y2", 0x02, 0x13, 0x20, 0x31, 0x83, 0x28)+"; 0x31 M Y1 Y2")
	l.add("VPERMQ", every, "0x4b Y1 Y2; 0x1e M Y2")
	l.add("VMOVQ", every, "AX X2; M X2")
	l.add("VPINSRQ", every, "1 AX X1 X2; 0 M X1 X2")
	l.add("PXOR PADDL PUNPCKLLQ PUNPCKHLQ PUNPCKLQDQ PUNPCKHQDQ MOVOU PSHUFB SHA256MSG1 SHA256MSG2",
		every, "X1 X2")
	l.add("PXOR", every, "X2 X2")
	l.add("SHA256RNDS2", every, "X0 X1 X2")
	l.add("PALIGNR", every, with("X1 X2", 0, 4, 15, 16, 21, 31, 32, 255))
	l.add("PSHUFL", every, "0x39 X1 X2")
	l.add("MOVOU", every, "M X2")
	l.add("MOVQ", every, "X1 M; M X2")
	l.add("VZEROUPPER VZEROALL", every, "")
}

func (l *list) avx512() {
	const unpack = "VPUNPCKLQDQ VPUNPCKHQDQ "
	const others = "VPANDQ VPORQ VPXORQ VPANDNQ VPADDQ VPSUBQ VPMULLQ VPMULUDQ VPSRLVQ VPSLLVQ " +
		"VPERMQ VPERMI2Q VPMADD52LUQ VPMADD52HUQ"
	l.each("YZ", unpack+others, "V0 V1 V2; V0 V1 K1 V2; .Z V0 V1 K1 V2; V2 V1 K1 V2")
	l.each("YZ", others, ".BCST M V1 K1 V2")
	l.each("YZ", "VPSLLQ VPSRLQ VPSRAQ", with("V1 K1 V2", 1, 9, 52, 63, 64)+"; X0 V1 K1 V2")
	for _, form := range []string{"V1 V2", "V1 K1 V2"} {
		l.each("YZ", "VPROLQ", with(form, 0, 1, 7, 63, 64, 255))
	}
	l.each("YZ", "VPSHRDQ", "52 V0 V1 V2; 12 V0 V1 K1 V2")
	l.each("YZ", "VPTESTMQ VPTESTNMQ",
		"V0 V1 K2; V1 V1 K2; V0 V1 K1 K2; M V1 K1 K2; .BCST M V1 K2")
	for _, form := range []string{"V0 V1 K2", "V0 V1 K1 K2"} {
		l.each("YZ", "VPCMPUQ", with(form, 0, 1, 2, 3, 4, 5, 6, 7))
	}
	l.each("YZ", "VPTERNLOGQ", "0xff V2 V2 V2; 0x96 V0 V1 K1 V2; .Z 0xfe V0 V1 K1 V2")
	l.each("YZ", "VPTERNLOGQ", with("V0 V1 V2", 0xca, 0xf8, 0xfe))
	l.each("YZ", "VPERMQ", "0x1e V1 V2; 0xb1 V1 K1 V2; .Z 0xb1 V1 K1 V2")
	l.each("YZ", "VPSLLQ VPSRLQ", ".Z 9 V1 K1 V2")
	l.each("YZ", "VMOVDQA64", "V1 K1 V2; .Z V1 K1 V2")
	l.each("YZ", "VPBROADCASTQ", "M K1 V2; AX V2; AX K1 V2; .Z M K1 V2")
	l.each("YZ", "VMOVDQU64", ".Z M K1 V2; M K1 V2; V2 K1 M; .Z V1 K1 V2")
	l.each("YZ", "VSHUFI64X2", with("V0 V1 V2", 0x02, 0x44, 0x87, 0xdd))
	l.add("VINSERTI64X4", every, "1 Y0 Z1 Z2; 0 M Z1 Z2")
	l.add("VPSHUFD", every, "0x4e Z1 Z2; 0x93 M Z2")
	l.add("KANDB KORB", every, "K1 K2 K2")
	l.add("KNOTB", every, "K1 K2")
	l.add("KSHIFTLB", every, "3 K1 K2")
	l.add("KMOVB KMOVW", every, "EAX K2; K1 EAX; K1 M")
	l.add("KMOVQ", every, "AX K2; K1 AX; K1 M")
}

// dwords adds the cases of AVX-512 instructions on 32-bit lanes to the list.
func (l *list) dwords() {
	l.each("YZ", "VPRORD", with("V1 V2", 0, 1, 7, 31))
	l.each("YZ", "VPUNPCKLDQ VPUNPCKHDQ", "V0 V1 V2")
	l.add("VPMOVQD", every, "Z1 Y2; Y1 X2")
	l.each("YZ", "VPTESTMD", "V0 V1 K2")
	l.each("YZ", "VPCMPUD", with("V0 V1 K2", 0, 1, 2, 3, 4, 5, 6, 7))
	l.each("YZ", "VPORD", "V0 V1 V2; V0 V1 K1 V2; .Z V0 V1 K1 V2")
	l.each("YZ", "VPCOMPRESSD", "V1 K1 V2; .Z V1 K1 V2")
	l.each("YZ", "VPBROADCASTD", "EAX V2")
}
