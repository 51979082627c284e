// Package probetest compares the interpreter with CPUs. Its functions serve the probes of all
// architectures.
package probetest

//ci:untested The tests of probes use it.

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
)

// Rounds is the number of states on which each probe runs.
const Rounds = 200

// State returns a random state of the given number of words. Half of the words have extreme values.
func State(r *rand.Rand, words int) probe.State {
	s := make(probe.State, words)
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
	return s
}

// Run runs the cases in the interpreter and on a CPU of the architecture goarch, real or emulated.
// It fails the test if they give different results. A state has the given number of words; the
// function change alters each random state before the run. qemu is the name of goarch in the names
// of QEMU's emulators.
func Run(t *testing.T, goarch, qemu string, words int, cases []probe.Case,
	change func(r *rand.Rand, s probe.State)) {
	t.Helper()
	command := Emulator(t, goarch, qemu)
	set, err := probe.Listed(goarch, words, cases)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := set.Assemble(t.TempDir(), command...)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var tasks []probe.Task
	for k := range Rounds * len(cases) {
		s := State(r, words)
		change(r, s)
		tasks = append(tasks, probe.Task{Probe: k / Rounds, State: s})
	}
	cpu, err := exe.Run(tasks)
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range cases {
		p, err := c.Function.Program()
		if err != nil {
			t.Fatal(err)
		}
		first, end := Rounds*k, Rounds*(k+1)
		Compare(t, fmt.Sprintf("%s, case %d", c.Opcode, k), p, tasks[first:end], cpu[first:end],
			func(s probe.State) string { return fmt.Sprintf("%#x", s) })
	}
	t.Logf("%d probes ran", len(cases))
}

// Compare interprets the probe p on the states of tasks, and fails the test if a result differs
// from the CPU's resulting state in cpu. It then prints the states with the function print. The
// argument of the probe is at offset 0 of the argument area.
func Compare(t *testing.T, name string, p *interp.Program, tasks []probe.Task, cpu []probe.State,
	print func(probe.State) string) {
	t.Helper()
	m := p.NewMachine()
	region := m.NewRegion("state", 8*len(cpu[0]), interp.Read|interp.Write)
	m.SetArg(0, region.Address(), false)
	for k := range tasks {
		region.FillWords(0, tasks[k].State, false)
		if err := m.Run(); err != nil {
			t.Error(err)
			return
		}
		got, err := region.Words(0, len(cpu[k]))
		if err != nil {
			t.Error(err)
			return
		}
		if !slices.Equal(got, cpu[k]) {
			t.Errorf("%s: from\n%s\nthe interpreter has\n%s\nthe CPU\n%s", name, print(tasks[k].State),
				print(got), print(cpu[k]))
			return
		}
	}
}

// Emulator returns the command that runs programs for goarch on this machine. The command is nil if
// this machine has that architecture. Otherwise it is QEMU's emulator, whose name contains the
// parameter qemu; if the emulator is not installed, the test is skipped.
func Emulator(t *testing.T, goarch, qemu string) []string {
	t.Helper()
	if runtime.GOARCH == goarch {
		return nil
	}
	for _, name := range []string{"qemu-" + qemu + "-static", "qemu-" + qemu} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	t.Skipf("without qemu-%s-static: this CPU is no %s", qemu, goarch)
	return nil
}

// Probed fails the test if an instruction of the table a has no probe, or if a probe's instruction
// is unknown. RET, which ends every probe, and NOP need no probe.
func Probed(t *testing.T, a *interp.Architecture, cases []probe.Case) {
	t.Helper()
	seen := map[string]bool{"RET": true, "NOP": true}
	for _, c := range cases {
		seen[c.Opcode] = true
	}
	for opcode := range a.Instructions {
		if !seen[opcode] {
			t.Errorf("no probe has %s", opcode)
		}
		delete(seen, opcode)
	}
	if len(seen) > 0 {
		t.Errorf("no instructions: %v", seen)
	}
}
