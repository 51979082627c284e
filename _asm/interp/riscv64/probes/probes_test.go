package probes_test

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/interp/probe/probetest"
	"github.com/koblitz-go/koblitz/_asm/interp/riscv64"
	"github.com/koblitz-go/koblitz/_asm/interp/riscv64/probes"
)

// TestCPU runs every probe in the interpreter and on a CPU, real or emulated. It checks that
// registers and memory are equal afterwards.
func TestCPU(t *testing.T) {
	probetest.Run(t, "riscv64", "riscv64", probes.Words, probes.All(), func(r *rand.Rand, s probe.State) {
		if r.IntN(3) == 0 { // equal numbers make comparisons succeed
			s[1] = s[0]
		}
	})
}

// TestEveryInstructionHasAProbe checks that every instruction of the interpreter has a probe.
func TestEveryInstructionHasAProbe(t *testing.T) {
	probetest.Probed(t, riscv64.Table(), probes.All())
}
