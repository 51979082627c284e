package contract

import (
	"hash/fnv"
	"iter"
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

// TestFar deletes the far jumps of variable-time kernels one by one, and checks that the calls of
// farCalls find every such mutant. Without the jump, a carry is lost, or the chord formula is
// applied to two points that have no chord. No other test covers the conditions of these jumps.
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
			killed, alive := 0, jumps
			for some := range farCalls(k) {
				var found int
				found, alive = Hunt(run, alive, some)
				if killed += found; len(alive) == 0 {
					break
				}
			}
			if len(alive) > 0 || killed != len(jumps) {
				t.Errorf("%d of %d jumps can be deleted:\n%v", len(alive), len(jumps), List(alive))
			}
		})
	}
}

// farCalls yields calls, thousands at a time. Together they take every far jump of the kernel: some
// jumps are taken by one call in a thousand, others only by one in ten thousand.
func farCalls(k *kernels.Kernel) iter.Seq[[]*Call] {
	return func(yield func([]*Call) bool) {
		r := source(13, k)
		for range 20 {
			if !yield(oracles[id(k)](r, 3000, false)) {
				return
			}
		}
	}
}

// source returns a source of random numbers for the kernel k. The numbers do not change if other
// kernels are added or removed.
func source(seed uint64, k *kernels.Kernel) *rand.Rand {
	name := fnv.New64a()
	name.Write([]byte(id(k)))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}

// TestBehindFar plants errors in the out-of-line code after a kernel. TestKernelMutants seldom
// reaches that code. Each block of this code ends with a jump back into the kernel. The test makes
// at most twelve calls for each block. Each of these calls fails if the jump to the block is
// deleted. The calls must find two thirds of the errors in the block. The other errors are in its
// last instructions: no known input carries through limbs that hold a product.
func TestBehindFar(t *testing.T) {
	all, kept := kernels.All(), 0
	for i := range all {
		k := &all[i]
		p := program(t, k)
		if k.List == nil || len(farJumps(p)) == 0 { // amd64's kernels have no out-of-line code
			continue
		}
		kept++
		t.Run(id(k), func(t *testing.T) {
			t.Parallel()
			run := NewRunner(p, k.ConstantTime)
			blocks := blocksBehind(t, p)
			if len(blocks) == 0 {
				t.Error("nothing is behind the kernel")
			}
			for some := range farCalls(k) {
				missing := 0
				for _, b := range blocks {
					missing += b.choose(run, some)
				}
				if missing == 0 {
					break
				}
			}
			for _, b := range blocks {
				b.hunt(t, run)
			}
		})
	}
	if kept < 10 {
		t.Errorf("%d kernels", kept)
	}
}

// A block is out-of-line code: the instructions with the indices first to last. The instruction
// with index first is the target of a far jump.
type block struct {
	first, last int
	without     *interp.Program // the program without the far jump
	need        []*Call         // calls on which the program without the jump fails
}

// blocksBehind returns the blocks of out-of-line code of p.
func blocksBehind(t *testing.T, p *interp.Program) (blocks []*block) {
	for _, jump := range farJumps(p) {
		first := p.Instruction(jump.Index).Target
		last := first
		for p.Instruction(last).Kind.Control == interp.Next {
			last++
		}
		if p.Instruction(last).Kind.Control != interp.Jump { // the kernel gives up here
			continue
		}
		without, err := p.Replace(jump.Index, jump.Instruction)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, &block{first, last, without, nil})
	}
	return blocks
}

// choose adds calls to b.need, and returns the number of calls that it still lacks.
func (b *block) choose(run *Runner, calls []*Call) (missing int) {
	const most = 12
	for _, c := range calls {
		if len(b.need) < most && run.Run(b.without, c) != nil {
			b.need = append(b.need, c)
		}
	}
	return most - len(b.need)
}

// hunt plants errors in the block.
func (b *block) hunt(t *testing.T, run *Runner) {
	var here []mutant.Mutant
	for _, m := range mutant.All(run.Program()) {
		if b.first <= m.Index && m.Index <= b.last {
			here = append(here, m)
		}
	}
	killed, alive := Hunt(run, here, b.need)
	t.Logf("from %d on, %d calls: %d killed, %d alive", b.first, len(b.need), killed, len(alive))
	if killed < 2*len(alive) || killed == 0 {
		t.Errorf("from %d on, %d calls: %d of %d planted errors are not found:\n%v", b.first,
			len(b.need), len(alive), killed+len(alive), List(alive))
	}
}
