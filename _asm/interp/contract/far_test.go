package contract

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

// farJumps returns, for each jump on a far carry of a variable-time kernel, the mutant in which
// that jump is deleted. A far carry is one beyond the limbs that the kernel's inline code corrects.
// At the target of the jump, the kernel gives up, or continues in its out-of-line code.
func farJumps(p *interp.Program) (jumps []mutant.Mutant) {
	for _, m := range mutant.All(p) {
		if m.Kind == "deleted" && slices.ContainsFunc(m.Original.Operands,
			func(o interp.Operand) bool { return strings.HasPrefix(o.Label, "far") }) {
			jumps = append(jumps, m)
		}
	}
	return jumps
}

// behindFar returns the instructions of the out-of-line code to which far jumps lead, as
// [Runner.Uncovered] describes them. Each block of this code ends with a jump.
func behindFar(p *interp.Program) map[string]bool {
	all := map[string]bool{}
	for _, jump := range farJumps(p) {
		for k := p.Instruction(jump.Index).Target; ; k++ {
			i := p.Instruction(k)
			all[fmt.Sprintf("instruction %d, %s", k, i.Text)] = true
			if i.Kind.Control != interp.Next {
				break
			}
		}
	}
	return all
}

// TestFar deletes the far jumps of variable-time kernels one by one, and checks that every such
// mutant is refused: its claim is not proven. Without the jump, a carry is lost, or the chord
// formula is applied to two points that have no chord. Without KOBLITZ_DEEP it deletes some of
// them. Calls seldom take these jumps, some only one in ten thousand.
func TestFar(t *testing.T) {
	collectLess(t)
	claims, all := claims(), kernels.All()
	for i := range all {
		k := &all[i]
		p := program(t, k)
		jumps := farJumps(p)
		if len(jumps) == 0 {
			continue
		}
		t.Run(id(k), func(t *testing.T) {
			t.Parallel()
			if !deep() {
				jumps = some(jumps, 2)
			}
			c, run := claims[id(k)], NewRunner(p, k.ConstantTime)
			x := judge(run, jumps, c.prover(t, k, run), nil)
			if len(x.alive) > 0 || x.found != len(jumps) {
				t.Errorf("%d of %d jumps can be deleted:\n%v", len(x.alive), len(jumps), List(x.alive))
			}
		})
	}
}

// source returns a source of random numbers for the kernel k. The numbers do not change if other
// kernels are added or removed.
func source(seed uint64, k *kernels.Kernel) *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(id(k)))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}
