package probes_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/arm64"
	"github.com/koblitz-go/koblitz/_asm/interp/arm64/probes"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/interp/probe/probetest"
)

// TestCPU runs every probe in the interpreter and on a CPU, real or emulated. It checks that
// registers, memory and flags are equal afterwards.
func TestCPU(t *testing.T) {
	command := probetest.Emulator(t, "arm64", "aarch64")
	cases := probes.All()
	set, err := probes.Set(cases)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := set.Assemble(t.TempDir(), command...)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var tasks []probe.Task
	for k := range probetest.Rounds * len(cases) {
		s := probetest.State(r, probes.Words)
		if n := probes.Words; r.IntN(2) == 0 { // equal lanes make comparisons succeed
			copy(s[n-8:n-6], s[n-6:])
		}
		tasks = append(tasks, probe.Task{Probe: k / probetest.Rounds, State: s})
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
		first, end := probetest.Rounds*k, probetest.Rounds*(k+1)
		probetest.Compare(t, fmt.Sprintf("%s, case %d", cases[k].Opcode, k), p, tasks[first:end],
			want[first:end], func(s probe.State) string { return fmt.Sprintf("%#x", s) })
	}
	t.Logf("%d probes ran", len(cases))
}

// TestEveryInstructionHasAProbe checks that every instruction of the interpreter has a probe.
func TestEveryInstructionHasAProbe(t *testing.T) {
	var probed []string
	for _, c := range probes.All() {
		probed = append(probed, c.Opcode)
	}
	probetest.Probed(t, arm64.Table().Opcodes(), probed)
}
