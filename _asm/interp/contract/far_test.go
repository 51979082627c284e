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

// farJumps returns the jumps, deleted, by which a kernel in variable time gives up, or goes on
// elsewhere.
func farJumps(p *interp.Program) (jumps []mutant.Mutant) {
	for _, m := range mutant.All(p) {
		if m.Kind == "deleted" && slices.ContainsFunc(m.Original.Operands,
			func(o interp.Operand) bool { return strings.HasPrefix(o.Label, "far") }) {
			jumps = append(jumps, m)
		}
	}
	return jumps
}

// TestFar deletes, one by one, the jumps by which kernels in variable time give up, or go on
// elsewhere: a carry would be lost, or a sum be made of points that have none. None of these
// errors may live, since nothing else notices what such a jump is for.
func TestFar(t *testing.T) {
	all := kernels.All()
	for i := range all {
		k := &all[i]
		p := program(t, k)
		jumps := farJumps(p)
		if len(jumps) == 0 {
			continue
		}
		t.Run(id(k), func(t *testing.T) {
			t.Parallel()
			run := NewRunner(p, k.ConstantTime)
			killed, alive := Hunt(run, jumps, farCalls(k, i))
			if len(alive) > 0 || killed != len(jumps) {
				t.Errorf("%d of %d jumps can be deleted:\n%v", len(alive), len(jumps), List(alive))
			}
		})
	}
}

// farCalls returns calls of which some need each jump of the i-th kernel.
func farCalls(k *kernels.Kernel, i int) []*Call {
	return oracles[id(k)](rand.New(rand.NewPCG(13, uint64(i))), 3000, false)
}

// TestBehindFar plants errors in what stands behind a kernel and jumps back. TestKernelMutants
// seldom comes there. Here the calls are those, twelve at most, that fail without the jump. Of
// the errors two thirds must be found in each such place: no input is known with which a carry
// runs on through limbs that hold a product, so that the last instructions do something.
func TestBehindFar(t *testing.T) {
	all, kept := kernels.All(), 0
	for i := range all {
		k := &all[i]
		p := program(t, k)
		if k.List == nil || len(farJumps(p)) == 0 { // amd64's kernels give up
			continue
		}
		kept++
		t.Run(id(k), func(t *testing.T) {
			t.Parallel()
			run, calls, places := NewRunner(p, k.ConstantTime), farCalls(k, i), 0
			for _, jump := range farJumps(p) {
				first := p.Instruction(jump.Index).Target
				last := first
				for p.Instruction(last).Kind.Control == interp.Next {
					last++
				}
				if p.Instruction(last).Kind.Control != interp.Jump { // the kernel gives up
					continue
				}
				places++
				huntBehind(t, run, jump, calls, first, last)
			}
			if places == 0 {
				t.Error("nothing is behind the kernel")
			}
		})
	}
	if kept < 10 {
		t.Errorf("%d kernels", kept)
	}
}

// huntBehind plants errors in the instructions from first to last, to which a jump goes.
func huntBehind(
	t *testing.T, run *Runner, jump mutant.Mutant, calls []*Call, first, last int,
) {
	p := run.Program()
	without, err := p.Replace(jump.Index, jump.Instruction)
	if err != nil {
		t.Fatal(err)
	}
	var need []*Call
	for _, c := range calls {
		if len(need) < 12 && run.Run(without, c) != nil {
			need = append(need, c)
		}
	}
	var here []mutant.Mutant
	for _, m := range mutant.All(p) {
		if first <= m.Index && m.Index <= last {
			here = append(here, m)
		}
	}
	killed, alive := Hunt(run, here, need)
	if killed < 2*len(alive) || killed == 0 {
		t.Errorf("from %d on, %d calls: %d of %d planted errors are not found:\n%v", first, len(need),
			len(alive), killed+len(alive), List(alive))
	}
}
