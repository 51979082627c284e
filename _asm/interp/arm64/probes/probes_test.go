package probes_test

import (
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
	probetest.Run(t, "arm64", "aarch64", probes.Words, probes.All(), func(r *rand.Rand, s probe.State) {
		if r.IntN(2) == 0 { // equal lanes make comparisons succeed
			copy(s[len(s)-8:len(s)-6], s[len(s)-6:])
		}
	})
}

// TestEveryInstructionHasAProbe checks that every instruction of the interpreter has a probe.
func TestEveryInstructionHasAProbe(t *testing.T) {
	probetest.Probed(t, arm64.Table(), probes.All())
}
