package contract

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

// TestFar deletes, one by one, the jumps by which kernels in variable time give up, or go on
// elsewhere: a carry would be lost, or a sum be made of points that have none. None of these
// errors may live, since nothing else notices what such a jump is for.
func TestFar(t *testing.T) {
	all := kernels.All()
	for i := range all {
		k := &all[i]
		p := program(t, k)
		var jumps []mutant.Mutant
		for _, m := range mutant.All(p) {
			if m.Kind == "deleted" && slices.ContainsFunc(m.Original.Operands,
				func(o interp.Operand) bool { return strings.HasPrefix(o.Label, "far") }) {
				jumps = append(jumps, m)
			}
		}
		if len(jumps) == 0 {
			continue
		}
		t.Run(id(k), func(t *testing.T) {
			t.Parallel()
			run := NewRunner(p, k.ConstantTime)
			killed, alive := Hunt(run, jumps, oracles[id(k)](rand.New(rand.NewPCG(13, uint64(i))), 3000,
				false))
			if len(alive) > 0 || killed != len(jumps) {
				t.Errorf("%d of %d jumps can be deleted:\n%v", len(alive), len(jumps), List(alive))
			}
		})
	}
}
