// Package probetest compares the interpreter with CPUs. Its functions serve the probes of all
// architectures.
package probetest

//ci:untested The tests of probes use it.

import (
	"math/rand/v2"
	"os/exec"
	"runtime"
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

// Compare fails the test if the interpreter and the CPU give different results for the probe p. It
// then prints both states with the function print.
func Compare(t *testing.T, name string, p *interp.Program, tasks []probe.Task, cpu []probe.State,
	print func(probe.State) string) {
	t.Helper()
	d, err := probe.Compare(p, tasks, cpu)
	if err != nil {
		t.Error(err)
	}
	if d != nil {
		t.Errorf("%s: from\n%s\nthe interpreter has\n%s\nthe CPU\n%s", name, print(d.From),
			print(d.Interpreted), print(d.CPU))
	}
}

// Emulator returns the command that runs programs for goarch on this machine. The command is nil if
// this machine has that architecture, and the program named qemu otherwise. If that program is not
// installed, Emulator skips the test.
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

// Probed fails the test if an instruction of the interpreter has no probe, or if a probe's
// instruction is unknown. opcodes and probes list the opcodes of both. RET, which ends every probe,
// and NOP need no probe.
func Probed(t *testing.T, opcodes, probes []string) {
	t.Helper()
	seen := map[string]bool{"RET": true, "NOP": true}
	for _, opcode := range probes {
		seen[opcode] = true
	}
	for _, opcode := range opcodes {
		if !seen[opcode] {
			t.Errorf("no probe has %s", opcode)
		}
		delete(seen, opcode)
	}
	if len(seen) > 0 {
		t.Errorf("no instructions: %v", seen)
	}
}
