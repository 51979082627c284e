package probes_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64/probes"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/interp/probe/probetest"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// TestCPU runs every probe in the interpreter and on the CPU. It checks that registers, memory and
// flags are equal afterwards.
func TestCPU(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skipf("on %s: the probes are for amd64", runtime.GOARCH)
	}
	cases, file, exe, err := probes.Assemble(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var tasks []probe.Task
	missing := map[string]int{}
	functions := file.Functions()
	for k, fn := range functions {
		if lacks := probes.Lacks(fn); lacks != "" {
			missing[lacks]++
			continue
		}
		for range probetest.Rounds {
			s := probetest.State(r, probes.Bytes/8)
			if v := probes.Vectors / 8; r.IntN(2) == 0 { // equal lanes make comparisons succeed
				copy(s[v:v+4], s[v+8:])
			}
			if cases[k].Doubles {
				doubles(r, s[probes.Vectors/8:][:24])
			}
			tasks = append(tasks, probe.Task{Probe: k, State: s})
		}
	}
	want, err := exe.Run(tasks)
	if err != nil {
		t.Fatal(err)
	}
	for first := 0; first < len(tasks); first += probetest.Rounds {
		p, err := amd64.Load(file, functions[tasks[first].Probe].Name)
		if err != nil {
			t.Error(err)
			continue
		}
		end := first + probetest.Rounds
		probetest.Compare(t, text(p), p, tasks[first:end], want[first:end], func(s probe.State) string {
			return fmt.Sprintf("%#x, flags %s", s, flagText(s))
		})
	}
	t.Logf("%d of %d probes ran", len(tasks)/probetest.Rounds, len(cases))
	for isa, n := range missing {
		t.Run(isa, func(t *testing.T) {
			t.Logf("%d probes", n)
			cputest.Need(t, level(isa))
			t.Error("probes did not run, and the CPU has what they need")
		})
	}
}

// doubles changes three vectors so that they hold integers below 2^52 as double-precision numbers.
// Lanes of the third one may also be 2^104 plus a multiple of 2^52, or fractions.
func doubles(r *rand.Rand, v []uint64) {
	for i, x := range v {
		d := float64(x >> 12 >> r.IntN(52))
		if i >= 16 {
			switch r.IntN(4) {
			case 0:
				d = 0x1p104 + 0x1p52*d
			case 1:
				d = -d
			case 2:
				d = 0x1p53 - d/0x1p52
			}
		}
		v[i] = math.Float64bits(d)
	}
}

// level returns the lowest CPU level that includes the instruction set extension isa.
func level(isa string) cputest.Level {
	switch isa {
	case "BMI", "BMI2", "ADX", "POPCNT":
		return cputest.ADX
	case "AVX", "AVX2", "FMA3", "LZCNT":
		return cputest.AVX2
	case "SSSE3", "SHA":
		return cputest.SHANI
	case "AVX512F":
		return cputest.AVX512F
	}
	return cputest.Lanes
}

func flagText(s probe.State) string {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], s[probes.Flags/8])
	var out []string
	for k, name := range probes.FlagNames {
		if b[k] == 1 {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// text returns the instruction that the probe p tests: the one after the addition that sets the
// flags.
func text(p *interp.Program) string {
	for k := 1; k < p.Len()-1; k++ {
		if p.Instruction(k).Opcode == "ADDB" && p.Instruction(k-1).Opcode == "MOVQ" {
			return p.Name + ": " + p.Instruction(k+1).Text
		}
	}
	return p.Name
}

// TestEveryInstructionHasAProbe checks that every instruction of the interpreter has a probe,
// unless the instruction is listed here with the reason why it has none.
func TestEveryInstructionHasAProbe(t *testing.T) {
	without := map[string]string{
		"RET": "ends every probe", "NOP": "does nothing",
		"LDMXCSR": "before STMXCSR", "VMOVDQA64": "needs aligned memory",
		"BSRQ": "no result for zero", "PREFETCHT0": "a hint",
	}
	seen := map[string]bool{}
	for _, c := range probes.All() {
		seen[strings.Split(c.Opcode, ".")[0]] = true
	}
	for op := range amd64.Table().Instructions {
		switch {
		case seen[op], without[op] != "":
		default:
			t.Errorf("no probe has %s", op)
		}
	}
}
