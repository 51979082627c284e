package probes

import (
	"maps"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// All returns the cases to probe: every instruction of the table, in all forms that differ.
func All() (all []probe.Case) {
	add := func(opcode string, body func(c arm64.Code)) {
		all = append(all, probe.Case{Opcode: opcode, Function: function(len(all), body)})
	}
	type three = func(c arm64.Code, b, a, to arm64.Reg)
	threes := map[string]three{
		"ADD":  func(c arm64.Code, b, a, to arm64.Reg) { c.ADD(b, a, to) },
		"ADDS": func(c arm64.Code, b, a, to arm64.Reg) { c.ADDS(b, a, to) },
		"ADC":  arm64.Code.ADC, "ADCS": arm64.Code.ADCS,
		"SUB":  func(c arm64.Code, b, a, to arm64.Reg) { c.SUB(b, a, to) },
		"SUBS": func(c arm64.Code, b, a, to arm64.Reg) { c.SUBS(b, a, to) },
		"SBC":  arm64.Code.SBC, "SBCS": arm64.Code.SBCS,
		"MUL": arm64.Code.MUL, "UMULH": arm64.Code.UMULH, "SMULH": arm64.Code.SMULH,
		"AND": func(c arm64.Code, b, a, to arm64.Reg) { c.AND(b, a, to) },
		"ORR": func(c arm64.Code, b, a, to arm64.Reg) { c.ORR(b, a, to) },
		"EOR": func(c arm64.Code, b, a, to arm64.Reg) { c.EOR(b, a, to) },
		"LSL": func(c arm64.Code, b, a, to arm64.Reg) { c.LSL(b, a, to) },
		"LSR": func(c arm64.Code, b, a, to arm64.Reg) { c.LSR(b, a, to) },
		"ASR": func(c arm64.Code, b, a, to arm64.Reg) { c.ASR(b, a, to) },
	}
	for _, opcode := range slices.Sorted(maps.Keys(threes)) {
		f := threes[opcode]
		add(opcode, func(c arm64.Code) { f(c, b, a, to) })
		add(opcode, func(c arm64.Code) { f(c, a, a, to) })
		add(opcode, func(c arm64.Code) { f(c, b, a, b) })
		add(opcode, func(c arm64.Code) { f(c, arm64.ZR, a, a) })
		add(opcode, func(c arm64.Code) { f(c, b, arm64.ZR, to) })
		add(opcode, func(c arm64.Code) { f(c, b, a, arm64.ZR) })
	}
	type number = func(c arm64.Code, n arm64.Imm)
	numbers := map[string]number{
		"ADD":    func(c arm64.Code, n arm64.Imm) { c.ADD(n, a, to) },
		"ADDS":   func(c arm64.Code, n arm64.Imm) { c.ADDS(n, a, to) },
		"SUB":    func(c arm64.Code, n arm64.Imm) { c.SUB(n, a, to) },
		"SUBS":   func(c arm64.Code, n arm64.Imm) { c.SUBS(n, a, to) },
		"AND":    func(c arm64.Code, n arm64.Imm) { c.AND(n, a, to) },
		"ORR":    func(c arm64.Code, n arm64.Imm) { c.ORR(n, a, to) },
		"EOR":    func(c arm64.Code, n arm64.Imm) { c.EOR(n, a, to) },
		"EORASR": func(c arm64.Code, n arm64.Imm) { c.EORASR(n, b, a, to) },
		"LSL":    func(c arm64.Code, n arm64.Imm) { c.LSL(n, a, to) },
		"LSR":    func(c arm64.Code, n arm64.Imm) { c.LSR(n, a, to) },
		"ASR":    func(c arm64.Code, n arm64.Imm) { c.ASR(n, a, to) },
		"EXTR":   func(c arm64.Code, n arm64.Imm) { c.EXTR(n, b, a, to) },
		"CMP":    func(c arm64.Code, n arm64.Imm) { c.CMP(n, a) },
		"CMN":    func(c arm64.Code, n arm64.Imm) { c.CMN(n, a) },
		"TST":    func(c arm64.Code, n arm64.Imm) { c.TST(n, a) },
		"MOVZ":   func(c arm64.Code, n arm64.Imm) { c.MOVZ(n<<16, to) },
		"MOVK":   func(c arm64.Code, n arm64.Imm) { c.MOVK(n<<32, to) },
	}
	for _, opcode := range slices.Sorted(maps.Keys(numbers)) {
		f := numbers[opcode]
		for _, n := range []arm64.Imm{1, 32, 60, 63} {
			add(opcode, func(c arm64.Code) { f(c, n) })
		}
	}
	add("ADD", func(c arm64.Code) { c.ADD(arm64.Imm(1<<19), a, to) })
	add("SUBS", func(c arm64.Code) { c.SUBS(arm64.Imm(0xfff<<12), a, to) })
	add("ORR", func(c arm64.Code) { c.ORR(arm64.Imm(1<<64-1<<62), a, to) })
	add("CMP", func(c arm64.Code) { c.CMP(b, a) })
	add("CMN", func(c arm64.Code) { c.CMN(b, a) })
	add("TST", func(c arm64.Code) { c.TST(b, a) })
	add("NEG", func(c arm64.Code) { c.NEG(a, to) })
	add("RBIT", func(c arm64.Code) { c.RBIT(a, to) })
	add("CLZ", func(c arm64.Code) { c.CLZ(a, to) })
	add("CLZ", func(c arm64.Code) { c.CLZ(arm64.ZR, to) })
	add("MADD", func(c arm64.Code) { c.MADD(a, b, d, to) })
	add("MSUB", func(c arm64.Code) { c.MSUB(a, b, d, to) })
	moves(add)
	vectorCases(add)
	for _, cc := range []string{
		"EQ", "NE", "HS", "LO", "MI", "PL", "VS", "VC", "HI", "LS", "GE", "LT", "GT", "LE",
	} {
		add("CSEL"+cc, func(c arm64.Code) { c.CSEL(cc, a, b, to) })
		add("CSINC"+cc, func(c arm64.Code) { c.CSINC(cc, a, b, to) })
		add("CSNEG"+cc, func(c arm64.Code) { c.CSNEG(cc, a, b, to) })
		add("CCMP"+cc, func(c arm64.Code) { c.CCMP(cc, a, b, 5) })
		add("CCMP"+cc, func(c arm64.Code) { c.CCMP(cc, a, arm64.Imm(15), 10) })
		over(add, "B"+cc, func(c arm64.Code, label string) { c.BCC(cc, label) })
	}
	over(add, "B", arm64.Code.B)
	over(add, "CBZ", func(c arm64.Code, label string) { c.CBZ(a, label) })
	over(add, "CBNZ", func(c arm64.Code, label string) { c.CBNZ(a, label) })
	return all
}

func moves(add func(opcode string, body func(c arm64.Code))) {
	words := arm64.At(state, 8*memory)
	add("MOVD", func(c arm64.Code) { c.MOVD(a, to) })
	add("MOVD", func(c arm64.Code) { c.MOVD(words.Offset(8), to) })
	add("MOVD", func(c arm64.Code) { c.MOVD(a, words.Offset(8)) })
	add("MOVB", func(c arm64.Code) { c.MOVB(a, words.Offset(3)) })
	add("LDP", func(c arm64.Code) { c.LDP(words, to, b) })
	add("STP", func(c arm64.Code) { c.STP(a, b, words.Offset(16)) })
	add("STP", func(c arm64.Code) { // store to the probe's frame
		local := c.Local(16)
		c.STP(a, b, local)
		c.LDP(local, d, to)
	})
}

// over adds a case with a conditional jump over a second instruction.
func over(
	add func(opcode string, body func(c arm64.Code)), opcode string,
	jump func(c arm64.Code, label string),
) {
	add(opcode, func(c arm64.Code) {
		jump(c, "over")
		c.MOVZ(7, to)
		c.Label("over")
	})
}

func vectorCases(add func(opcode string, body func(c arm64.Code))) {
	lanewise := map[string]func(c arm64.Code, b, a, to arm64.Vec){
		"VADD": arm64.Code.VADD, "VSUB": arm64.Code.VSUB, "VCMEQ": arm64.Code.VCMEQ,
		"VAND": arm64.Code.VAND, "VORR": arm64.Code.VORR, "VEOR": arm64.Code.VEOR,
		"VBIT": arm64.Code.VBIT,
	}
	for _, opcode := range slices.Sorted(maps.Keys(lanewise)) {
		f := lanewise[opcode]
		add(opcode, func(c arm64.Code) { f(c, 1, 2, 3) })
		add(opcode, func(c arm64.Code) { f(c, 1, 2, 2) })
		add(opcode, func(c arm64.Code) { f(c, 2, 2, 4) })
	}
	add("VDUP", func(c arm64.Code) { c.VDUP(a, 2) })
	at := func(c arm64.Code) { c.ADD(arm64.Imm(8*memory), state, d) }
	relative := func(c arm64.Code) { c.SUB(state, d, d) } // addresses differ from the CPU's
	add("VLD1P", func(c arm64.Code) { at(c); c.VLD1P(d, 3); relative(c) })
	add("VLD1P", func(c arm64.Code) { at(c); c.VLD1P(d, 2, 3, 4); relative(c) })
	add("VST1P", func(c arm64.Code) { at(c); c.VST1P(d, 4); relative(c) })
	add("VST1P", func(c arm64.Code) { at(c); c.VST1P(d, 3, 4); relative(c) })
}
