package contract

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/_asm/kernels"
)

// This file has the proofs of loops, and of the paths on which a kernel gives up.

// A loop is the loop of a kernel: a step that the kernel repeats.
type loop struct {
	*claim
	// jumps tells how much more often each jump runs if there are more rounds: the loop is the one
	// whose jump does.
	jumps map[*interp.Inst]int
	// places maps the registers and the words of memory that hold the state of the loop when a round
	// ends to the indices of the words of the results.
	places map[proof.Place]int
}

// loopOf finds the loop of the kernel. one and many are calls with one round and with more. When
// the only round of the call one ends, certain registers and words of memory hold the results:
// these places hold the loop's state.
func (c *claim) loopOf(r *Runner, one, many *Call, lane int) (*loop, error) {
	l := &loop{c, map[*interp.Inst]int{}, map[proof.Place]int{}}
	for k, call := range []*Call{one, many} {
		x, err := r.instance(call)
		if err == nil {
			err = r.load(x, r.program, call)
		}
		if err != nil {
			return nil, err
		}
		x.machine.Turn = func(i *interp.Inst, taken bool) bool {
			l.jumps[i] += 2*k - 1
			return taken
		}
		err = x.machine.Run()
		x.machine.Turn = nil
		if err != nil {
			return nil, err
		}
	}
	var end map[proof.Place]*proof.Form
	s, err := c.follow(r, one, 0, lane, func(s *symbols, i *interp.Inst) error {
		if l.jumps[i] > 0 && end == nil {
			end = s.Forms()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k, w := range c.last(s) {
		found := false
		for at, f := range end {
			if f.Key() == w.Key() {
				l.places[at], found = k, true
			}
		}
		if !found {
			return nil, errNoPlace
		}
	}
	return l, nil
}

// round returns a function that is called before the jumps of a run with the given number of
// rounds. When a round but the last ends, it calls proven with the words of the state before and
// after this round. Then it makes the run forget every other number, and replaces these words by
// new inputs: the next round begins with any state.
func (l *loop) round(
	rounds int, proven func(s *symbols, before, after []*proof.Form) error,
) func(s *symbols, i *interp.Inst) error {
	n := l.words()
	sizes := make([]uint, n)
	return func(s *symbols, i *interp.Inst) error {
		if l.jumps[i] == 0 {
			return nil
		}
		if s.rounds++; s.rounds >= rounds {
			return nil
		}
		now := s.Forms()
		before := s.state
		if before == nil {
			before = l.first(s)
		}
		state, fresh := make([]*proof.Form, n), make([]*proof.Form, n)
		for at, k := range l.places {
			switch f := now[at]; {
			case f == nil:
				return fmt.Errorf("place %v holds nothing", at)
			case state[k] == nil:
				state[k] = f
				bits := uint(64)
				if l.lanes {
					var ok bool
					if bits, ok = s.Size(f); !ok {
						return fmt.Errorf("word %d may be negative", k)
					}
				}
				if s.rounds > 1 && bits > sizes[k] {
					return fmt.Errorf("word %d grows from round to round", k)
				}
				sizes[k] = bits
				fresh[k] = s.Input(fmt.Sprintf("state%d", k), bits, f.Now())
			case state[k].Key() != f.Key():
				return fmt.Errorf("place %v holds another number", at)
			}
		}
		if err := proven(s, before, state); err != nil {
			return fmt.Errorf("round %d: %w", s.rounds, err)
		}
		forms := map[proof.Place]*proof.Form{}
		for at, k := range l.places {
			forms[at] = fresh[k]
		}
		s.Run.Forget(forms)
		s.state = fresh
		return nil
	}
}

// induct proves the claim for a loop, by induction. one and many are calls with one and three
// rounds. When the first and the second of three rounds end, the words of the loop's state must be
// what the claim says of the words before the round. The next round begins with any other words.
// The number of rounds itself is a constant of the run, and taken to be used for counting only.
func (c *claim) induct(r *Runner, one, many *Call, lane int) error {
	l, err := c.loopOf(r, one, many, lane)
	if err != nil {
		return err
	}
	s, err := c.follow(r, many, 0, lane, l.round(3,
		func(s *symbols, before, after []*proof.Form) error {
			return c.check(s, c.join(before), c.join(after))
		}))
	if err != nil {
		return err
	}
	if err := c.check(s, c.join(s.state), c.join(c.last(s))); err != nil {
		return fmt.Errorf("the last round: %w", err)
	}
	if err := c.ended(s, c.did); err != nil || !c.left {
		return err
	}
	_, err = c.turns(r, many, lane, s.Jumps, func() func(*symbols, *interp.Inst) error {
		return l.round(3, func(*symbols, []*proof.Form, []*proof.Form) error { return nil })
	})
	return err
}

// errNoPlace says that the state of a loop is not its result.
var errNoPlace = errors.New("no place holds the result when the round ends")

// unroll proves the claim for the call, which has the given number of rounds.
func (c claim) unroll(r *Runner, call *Call, rounds, lane int) error {
	once := c.want
	c.want = func(in []*big.Int) []*big.Int {
		out := slices.Clone(in)
		for range rounds {
			out = once(out)
		}
		return out
	}
	_, err := c.prove(r, call, lane, proven{})
	return err
}

// givesUpLater follows the paths on which a kernel that can give up in the only round of one does
// so in one of the two rounds of two.
func (c *claim) givesUpLater(r *Runner, one, two *Call) error {
	s, err := c.follow(r, one, 0, 0, nil)
	if err != nil || s.Jumps == 0 {
		return err
	}
	if s, err = c.follow(r, two, 0, 0, nil); err != nil {
		return err
	}
	_, err = c.turns(r, two, 0, s.Jumps, nil)
	return err
}

// gaveUpAfter returns the result of a kernel that gives up after the given number of rounds.
func (c *claim) gaveUpAfter(call *Call, rounds int) uint64 {
	if !c.left {
		return c.gaveUp
	}
	at := slices.IndexFunc(call.Numbers, func(n Number) bool { return n.Param == c.rounds })
	return call.Numbers[at].Value - uint64(rounds)
}

// turns follows every path that leaves the path of the call's run, which has the given number of
// jumps. On it, the kernel must give up, and leave all memory as it was, or, after some rounds,
// with the state that these have left. atLoop, if not nil, returns the function that a run calls
// before each jump of a loop.
func (c *claim) turns(
	r *Runner, call *Call, lane, jumps int, atLoop func() func(*symbols, *interp.Inst) error,
) (paths int, err error) {
	for turn := 1; turn <= jumps; turn++ {
		var loop func(*symbols, *interp.Inst) error
		if atLoop != nil {
			loop = atLoop()
		}
		t, err := c.follow(r, call, turn, lane, loop)
		if err == nil && t.Jumps != turn {
			err = fmt.Errorf("%d more jumps", t.Jumps-turn)
		}
		if err == nil {
			err = c.ended(t, c.gaveUpAfter(call, t.rounds))
		}
		if err != nil {
			return paths, fmt.Errorf("turn %d: %w", turn, err)
		}
		for _, b := range call.Buffers {
			before := t.in[b.Param]
			if t.state != nil && b.Param == t.region(c.outputs[0].buffer) {
				before = t.state
			}
			for k := range b.Words {
				if b.Same != "" {
					continue
				}
				_, err := t.machine.regions[b.Param].Words(8*k, 1)
				if written := b.In == nil && err == nil; written ||
					b.In != nil && t.words(b.Param, k, 1)[0] != before[k] {
					return paths, fmt.Errorf("turn %d: word %d of %s has changed", turn, k, b.Param)
				}
			}
		}
		paths++
	}
	return paths, nil
}

// TestZeroTests plants errors in the instructions that test H for 0: all must be found.
func TestZeroTests(t *testing.T) {
	claims, all := claims(), kernels.All()
	for at := range all {
		k := &all[at]
		if c := claims[id(k)]; c.nonzero != nil {
			t.Run(id(k), func(t *testing.T) {
				t.Parallel()
				zeroTests(t, k, &c)
			})
		}
	}
}

// zeroTests does the work of TestZeroTests for the kernel k.
func zeroTests(t *testing.T, k *kernels.Kernel, c *claim) {
	run, call := NewRunner(program(t, k), k.ConstantTime), provable(k, c, 1)[0]
	prove := func(r *Runner) error {
		s, err := c.follow(r, call, 0, 0, nil)
		if err != nil {
			return err
		}
		if err := c.ended(s, c.did); err != nil {
			return err
		}
		in := c.join(c.first(s))
		return c.notZero(s, in, c.tested(s, in))
	}
	if err := prove(run); err != nil {
		t.Fatal(err)
	}
	tests := map[int]bool{}
	for j := range run.program.Len() {
		if i := run.program.Instruction(j); testsZero(i) {
			tests[j], tests[decides(run.program, j)] = true, true
		}
	}
	planted := 0
	for _, m := range mutant.All(run.program) {
		if !tests[m.Index] {
			continue
		}
		q, err := run.program.Replace(m.Index, m.Instruction)
		if err != nil {
			continue
		}
		planted++
		// TESTQ clears the carry, so ADCQ is right in place of ADDQ.
		if prove(run.fault(q)) == nil && m.Instruction.Opcode != "ADCQ" {
			t.Errorf("proven: %v", &m)
		}
	}
	if planted < 5 {
		t.Errorf("%d errors planted", planted)
	}
}

// testsZero reports whether the instruction i jumps to the label far, where a kernel gives up, if a
// number is 0.
func testsZero(i *interp.Inst) bool {
	return slices.Contains([]string{"JZ", "BEQ", "CBZ"}, i.Opcode) &&
		slices.ContainsFunc(i.Op, func(o interp.Operand) bool { return o.Label == "far" })
}

// decides returns the index of the instruction that sets what the jump with index j depends on: the
// flags, which the one before sets, or a register.
func decides(p *interp.Program, j int) int {
	on := &p.Instruction(j).Op[0]
	for j--; on.Kind == interp.General; j-- {
		if op := p.Instruction(j).Op; len(op) > 0 && op[len(op)-1].Same(on) {
			break
		}
	}
	return j
}
