package proof

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	x86 "github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64/probes"
	a64 "github.com/koblitz-go/koblitz/_asm/interp/arm64"
	a64probes "github.com/koblitz-go/koblitz/_asm/interp/arm64/probes"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/interp/probe/probetest"
	rv64 "github.com/koblitz-go/koblitz/_asm/interp/riscv64"
	rvprobes "github.com/koblitz-go/koblitz/_asm/interp/riscv64/probes"
)

// bitsOf returns 1 for every flag that is set, and 0 for the others.
func bitsOf(flags ...bool) []uint64 {
	out := make([]uint64, len(flags))
	for k, f := range flags {
		if f {
			out[k] = 1
		}
	}
	return out
}

// TestRulesAMD64 compares the rules for amd64 with the CPU.
func TestRulesAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skipf("on %s: the probes are for amd64", runtime.GOARCH)
	}
	all, file, exe, err := probes.Assemble(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set := &instructionSet{arch: x86.Table(), words: probes.Bytes / 8, run: exe.Run,
		general: []int{0, 3, 1, 2}, memory: [2]int{8, 16}, vectors: probes.Vectors / 8,
		masks: probes.Masks / 8, flags: probes.FlagNames, flagWord: probes.Flags / 8, flagBytes: 1,
		addendBits: 8, carry: 0, lacks: map[string]bool{},
		addends: func(r *rand.Rand, s probe.State) (uint64, uint64, []uint64) {
			x, y := uint8(crafted(r, 8)), uint8(crafted(r, 8))
			switch r.IntN(4) {
			case 0:
				y = -x
			case 1:
				x, y = 0x80|x, 0x80|y
			}
			s[probes.Addends/8] = uint64(x) | uint64(y)<<8
			z := x + y
			even := z ^ z>>4
			even ^= even >> 2
			even ^= even >> 1
			return uint64(x), uint64(y), bitsOf(z < x, even&1 == 0, z == 0, z >= 0x80, (x^z)&(y^z)&0x80 != 0)
		},
	}
	for k, fn := range file.Functions() {
		p, err := x86.Load(file, fn.Name)
		if err != nil {
			t.Fatal(err)
		}
		c := relationCase{index: k, program: p, flags: all[k].Flags, doubles: all[k].Doubles}
		c.opcode, _, _ = strings.Cut(all[k].Opcode, ".")
		for j := range p.Len() {
			if p.Instruction(j).Opcode == "ADDB" && p.Instruction(j-1).Opcode == "MOVQ" {
				c.first = j + 1
				break
			}
		}
		for j := range c.first {
			switch i := p.Instruction(j); i.Opcode {
			case "VMOVDQU", "VMOVDQU64":
				if i.Op[1].Kind == interp.Vec {
					c.vectorWords = int(i.Op[1].Bits / 64)
				}
			}
		}
		c.last = c.first + 1
		if all[k].Opcode[0] == 'J' {
			c.last++
		}
		if probes.Lacks(fn) != "" {
			set.lacks[c.opcode] = true
			continue
		}
		if all[k].Doubles && all[k].MXCSR != 0x7f80 {
			continue // the rules are for rounding toward zero
		}
		set.cases = append(set.cases, c)
	}
	set.without = map[string]string{"RET": "ends every probe", "JMP": "changes no operand",
		"LDMXCSR": "changes no operand"}
	for _, c := range []string{"LS", "HI", "GE", "LT", "GT", "LE"} {
		for _, op := range []string{"J", "SET", "CMOVQ", "CMOVL"} {
			set.without[op+c] = "stops, because the condition has two flags"
		}
	}
	compareRules(t, set, 24, 120)
}

// listed completes a set whose probes are printed by package listing. In each probe, first returns
// the index of the instruction to test, and the last epilogue instructions come after it.
func listed(t *testing.T, set *instructionSet, qemu string, cases []probe.Case, epilogue int,
	first func(p *interp.Program) int) *instructionSet {
	t.Helper()
	command := probetest.Emulator(t, set.arch.Name, qemu)
	list, err := probe.Listed(set.arch.Name, set.words, cases)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := list.Assemble(t.TempDir(), command...)
	if err != nil {
		t.Fatal(err)
	}
	set.run = exe.Run
	for k, c := range cases {
		p, err := c.Function.Program()
		if err != nil {
			t.Fatal(err)
		}
		set.cases = append(set.cases, relationCase{opcode: c.Opcode, index: k, program: p,
			first: first(p), last: p.Len() - epilogue, flags: "NZCV"})
	}
	return set
}

// after returns the index of the instruction that is n instructions after the first with the given
// opcode.
func after(p *interp.Program, opcode string, n int) int {
	k := 0
	for p.Instruction(k).Opcode != opcode {
		k++
	}
	return k + n
}

// TestRulesARM64 compares the rules for arm64 with a CPU, real or emulated.
func TestRulesARM64(t *testing.T) {
	set := &instructionSet{arch: a64.Table(), words: a64probes.Words, general: []int{1, 2, 3, 4},
		memory: [2]int{10, 14}, flags: []string{"N", "Z", "C", "V"}, flagWord: 6, flagBytes: 8,
		addendBits: 64, carry: 2,
		addends: func(r *rand.Rand, s probe.State) (uint64, uint64, []uint64) {
			x, y := crafted(r, 64), crafted(r, 64)
			switch r.IntN(4) {
			case 0:
				y = -x
			case 1:
				x, y = 1<<63|x, 1<<63|y
			}
			s[4], s[5] = x, y
			z := x + y
			return x, y, bitsOf(int64(z) < 0, z == 0, z < x, int64((x^z)&(y^z)) < 0)
		},
		without: map[string]string{"RET": "ends every probe", "B": "changes no operand"},
	}
	compareRules(t, listed(t, set, "aarch64", a64probes.All(), 15,
		func(p *interp.Program) int { return after(p, "ADDS", 5) }), 16, 16)
}

// TestRulesRISCV64 compares the rules for riscv64 with a CPU, real or emulated.
func TestRulesRISCV64(t *testing.T) {
	set := &instructionSet{arch: rv64.Table(), words: rvprobes.Words, general: []int{5, 15, 26, 30},
		memory:  [2]int{4, 8},
		without: map[string]string{"RET": "ends every probe", "JMP": "changes no operand"}}
	compareRules(t, listed(t, set, "riscv64", rvprobes.All(), 5,
		func(p *interp.Program) int { return after(p, "LD", 5) }), 16, 16)
}
