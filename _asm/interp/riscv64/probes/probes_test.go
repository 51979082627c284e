package probes_test

import (
	"math/rand/v2"
	"os/exec"
	"runtime"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/interp/riscv64"
	"github.com/koblitz-go/koblitz/_asm/interp/riscv64/probes"
)

// randomState draws words that are as often extreme as they are not.
func randomState(r *rand.Rand) probe.State {
	s := make(probe.State, probes.Words)
	for k := range s {
		x := r.Uint64()
		switch r.IntN(6) {
		case 0:
			x = 0
		case 1:
			x = ^uint64(0)
		case 2:
			x = 1 << (x % 64)
		case 3:
			x = x>>(x%64) | x<<63
		case 4:
			x %= 80
		}
		s[k] = x
	}
	if r.IntN(3) == 0 { // equal numbers, for comparisons
		s[1] = s[0]
	}
	return s
}

// emulator returns what runs programs of riscv64 here: nothing on such a machine.
func emulator(t *testing.T) []string {
	if runtime.GOARCH == "riscv64" {
		return nil
	}
	for _, name := range []string{"qemu-riscv64-static", "qemu-riscv64"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	t.Skip("no CPU of riscv64, and no qemu-riscv64-static that emulates one")
	return nil
}

// TestCPU runs every probe in the interpreter and on a CPU, real or emulated, and compares
// registers and memory.
func TestCPU(t *testing.T) {
	command := emulator(t)
	cases := probes.All()
	set, err := probes.Set(cases)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := set.Assemble(t.TempDir(), command...)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 200
	r := rand.New(rand.NewPCG(1, 2))
	var tasks []probe.Task
	for k := range cases {
		for range rounds {
			tasks = append(tasks, probe.Task{Probe: k, State: randomState(r)})
		}
	}
	want, err := exe.Run(tasks)
	if err != nil {
		t.Fatal(err)
	}
	for k := range cases {
		p, err := cases[k].Program(k)
		if err != nil {
			t.Fatal(err)
		}
		first := rounds * k
		d, err := probe.Compare(p, tasks[first:first+rounds], want[first:first+rounds])
		if err != nil {
			t.Error(err)
		}
		if d != nil {
			t.Errorf("%s, case %d: from\n%#x\nthe interpreter has\n%#x\nthe CPU\n%#x", cases[k].Opcode,
				k, d.From, d.Interpreted, d.CPU)
		}
	}
	t.Logf("%d probes ran", len(cases))
}

// TestEveryInstructionHasAProbe keeps the comparison complete.
func TestEveryInstructionHasAProbe(t *testing.T) {
	seen := map[string]bool{"RET": true, "NOP": true} // ends every probe; does nothing
	for _, c := range probes.All() {
		seen[c.Opcode] = true
	}
	for _, opcode := range riscv64.Table().Opcodes() {
		if !seen[opcode] {
			t.Errorf("no probe has %s", opcode)
		}
		delete(seen, opcode)
	}
	if len(seen) > 0 {
		t.Errorf("no instructions: %v", seen)
	}
}
