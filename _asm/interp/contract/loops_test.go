package contract

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/_asm/interp/proof"
	"github.com/koblitz-go/koblitz/_asm/kernels"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file has the proofs of loops, and of the paths on which a kernel gives up.

// A loop is the loop of a kernel: a step that the kernel repeats.
type loop struct {
	*claim
	// places maps the registers and the words of memory that hold the state of the loop when a round
	// ends to the indices of the words of the results.
	places map[proof.Place]int
}

// loopOf finds the loop of the kernel. When the only round of the call ends, certain registers and
// words of memory hold the results: these places hold the loop's state.
func (c *claim) loopOf(r *Runner, call *Call, lane int) (*loop, error) {
	l := &loop{c, map[proof.Place]int{}}
	var end map[proof.Place]*proof.Form
	s, err := c.follow(r, call, 0, lane, func(s *symbols) error {
		if end == nil {
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

// round returns a function that is called when a round ends. If it is not the last one, the
// function calls proven with the words of the state before and after this round. Then it makes the
// run forget every other number, and replaces these words by new inputs: the next round begins with
// any state.
func (l *loop) round(
	proven func(s *symbols, before, after []*proof.Form) error,
) func(s *symbols) error {
	n := l.words()
	sizes := make([]uint, n)
	return func(s *symbols) error {
		if s.rounds++; s.last {
			return s.forget(nil, s.rounds == 1)
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
		s.state = fresh
		return s.forget(forms, s.rounds == 1)
	}
}

// induct proves the claim for a loop, by induction. one and many are calls with one and three
// rounds. When the first and the second of three rounds end, the words of the loop's state must be
// what the claim says of the words before the round. The next round begins with any other words,
// and with any number of rounds left. The number of rounds is an input like others, and serves for
// counting only, or the proof fails.
func (c *claim) induct(r *Runner, one, many *Call, lane int) error {
	l, err := c.loopOf(r, one, lane)
	if err != nil {
		return err
	}
	s, err := c.follow(r, many, 0, lane, l.round(
		func(s *symbols, before, after []*proof.Form) error {
			return c.check(s, c.join(before), c.join(after))
		}))
	if err != nil {
		return err
	}
	if s.rounds != 3 {
		return fmt.Errorf("%d rounds of 3", s.rounds)
	}
	limbs := c.limbs(s)
	if err := c.check(s, c.join(s.state), c.join(c.last(s))); err != nil {
		return fmt.Errorf("the last round: %w", err)
	}
	if err := s.inRange(limbs); err != nil {
		return fmt.Errorf("the last round: %w", err)
	}
	if c.result == "" && s.Jumps > 0 {
		return errors.New("a jump that depends on the inputs")
	}
	if err := c.ended(s, c.did); err != nil {
		return err
	}
	_, err = c.turns(r, many, lane, s.Jumps, func() func(*symbols) error {
		return l.round(func(*symbols, []*proof.Form, []*proof.Form) error { return nil })
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

// steady proves, for any number of rounds of the kernel's loop, that no lane overflows and that the
// results are in their ranges. call has the given number of rounds. When a round ends, the run
// forgets all that it knows but ranges. In two successive rounds, they must not grow: signs and
// masks may alternate.
func (c claim) steady(r *Runner, call *Call, rounds, lane int) (err error) {
	defer stopped(&err)
	c.rounds = "" // the rounds of the call are counted
	s, stop, err := c.begin(r, call, lane)
	if err != nil {
		return err
	}
	defer stop()
	limits := c.limits(s)
	var known map[proof.Place][2]*big.Int
	ended, before := 0, false
	steady := map[int]bool{} // by the loop: each half of the lanes may have one
	s.Round = func(i *interp.Inst) {
		if i.Op[0].Label != "loop" {
			return
		}
		if ended%rounds == 0 { // some places hold a value from the second round on
			known, before = nil, false
		} else {
			var ok bool
			known, ok = s.Widen(known, limits)
			steady[ended/rounds] = steady[ended/rounds] || ok && before
			before = ok
		}
		ended++
	}
	if err := s.machine.machine.Run(); err != nil {
		return fmt.Errorf("%d rounds: %w", ended, err)
	}
	for k := range max(1, ended/rounds) {
		if !steady[k] {
			return fmt.Errorf("ranges grow in each of %d rounds", ended)
		}
	}
	return s.inRange(c.limbs(s))
}

// manyRounds is the number of rounds in which ranges must not grow.
const manyRounds = 6

// long returns a call with many rounds for the proof of ranges in the given lane.
func (c *claim) long(k *kernels.Kernel, lane int) *Call {
	r := rand.New(rand.NewPCG(1, 1))
	switch name := strings.TrimPrefix(id(k), "sums."); {
	case strings.HasPrefix(name, "differences"):
		return pairDifferences(false)(r, 0, 2*manyRounds).apart(lane)
	case strings.HasPrefix(name, "chords"):
		return pairChords(r, 0, 2*manyRounds).apart(lane)
	case strings.HasPrefix(name, "timesLambda"):
		return timesLambda(r, 0, manyRounds)
	}
	call := oracles[id(k)](r, 4, false)[0]
	at := slices.IndexFunc(call.Numbers, func(n Number) bool { return n.Param == "n" })
	call.Numbers[at].Value = manyRounds
	return call
}

// apart changes the references to rows in the call c, and returns c: only the given lane refers to
// certain rows, and the signs of all second points change from round to round.
func (c *Call) apart(lane int) *Call {
	for at, name := range []string{"a", "b"} {
		w := c.buffer(name)
		for k := range 2 * len(w) {
			row, sign := uint64(half(c, name, k))>>6, uint64(at*k/16%2)
			if k%8 != pairIn(0, lane) {
				row = 0
			} else if row == 0 {
				row = 1
			}
			shift := k % 2 * 32
			w[k/2] = w[k/2]&^(0xffffffff<<shift) | (row<<6|sign)<<shift
		}
	}
	return c
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
// jumps. On each of these paths, the kernel must give up. It must leave all memory unchanged, or,
// after some rounds, leave the state after these rounds. atLoop, if not nil, returns the function
// that a run calls when a round ends.
func (c *claim) turns(
	r *Runner, call *Call, lane, jumps int, atLoop func() func(*symbols) error,
) (paths int, err error) {
	for turn := 1; turn <= jumps; turn++ {
		var loop func(*symbols) error
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
			if c.left && t.state != nil && b.Param == t.region(c.outputs[0].buffer) {
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

// insert returns the program p with the instructions x before the one with index at. The label "7"
// in x is that of instruction 7 of p, and "+7" that of instruction 7 of x.
func insert(p *interp.Program, at int, x []interp.Instruction) (*interp.Program, error) {
	q := *p
	var list []interp.Instruction
	labels := map[string]int{}
	moved := func(to int) int {
		if to >= at {
			to += len(x)
		}
		return to
	}
	for j := range p.Len() {
		i := p.Instruction(j)
		list = append(list, i.Instruction)
		if i.Target >= 0 {
			labels[i.Op[0].Label] = moved(i.Target)
		}
	}
	for _, i := range x {
		for _, o := range i.Operands {
			if to, err := strconv.Atoi(o.Label); err == nil && o.Label[0] == '+' {
				labels[o.Label] = at + to
			} else if err == nil {
				labels[o.Label] = moved(to)
			}
		}
	}
	return &q, q.Compile(slices.Insert(list, at, x...), labels)
}

// These are operands of planted instructions: a number, a label, a place in the frame that begins
// after the kernel's own part, and a vector register with two lanes.
func immediate(x uint64) interp.Operand {
	return interp.Operand{Kind: interp.Immediate, Imm: x, Bits: 64, IndexReg: -1}
}

func label(name string) interp.Operand { return interp.Operand{Kind: interp.Label, Label: name} }

func inFrame(p *interp.Program, at int) interp.Operand {
	return interp.Operand{Kind: interp.Memory, Base: interp.Frame, IndexReg: -1,
		Disp: int64(p.FrameBytes + at)}
}

func pair(k int) interp.Operand {
	return interp.Operand{Kind: interp.Vec, Index: k, Bits: 128, IndexReg: -1}
}

// argument returns the argument of p with the given name as an operand.
func argument(t *testing.T, p *interp.Program, name string) interp.Operand {
	at, err := p.Offset(name)
	if err != nil {
		t.Fatal(err)
	}
	return interp.Operand{Kind: interp.Memory, Base: interp.Arguments, IndexReg: -1, Disp: int64(at),
		Name: name}
}

// TestRounds plants errors in the loops of kernels. They have an effect only for some numbers of
// rounds, or only in some rounds. The proof of each such kernel must fail.
func TestRounds(t *testing.T) {
	const ax, cx = 0, 1
	free, other, state := general(ax, 64), general(cx, 64), general(8, 64) // state: the lowest limb
	list := func(x ...interp.Instruction) []interp.Instruction { return x }
	add := func(own interp.Operand) []interp.Instruction {
		return list(instruction("MOVQ", own, free), instruction("ADDQ", immediate(1), free),
			instruction("MOVQ", free, own))
	}
	is := func(x interp.Operand, n uint64) []interp.Instruction {
		return list(instruction("CMPQ", x, immediate(n)), instruction("CMOVQEQ", x, state))
	}
	counter := func(x, one int) []interp.Instruction {
		return list(instruction("VPXOR", pair(x), pair(x), pair(x)),
			instruction("MOVQ", immediate(1), free), instruction("VMOVQ", free, pair(one)))
	}
	for _, name := range []string{"squareNADX", "squareNVartimeADX"} {
		k := kernel(name)
		p, c := program(t, k), claims()[id(k)]
		index := func(opcode string) int {
			for j := p.Len() - 1; ; j-- {
				if p.Instruction(j).Opcode == opcode {
					return j
				}
			}
		}
		count, jump := index("DECQ"), index("JNZ")
		loop, end := p.Instruction(jump).Target, label(fmt.Sprint(jump+1))
		n, own := argument(t, p, "n"), inFrame(p, 0)
		zero := list(instruction("MOVQ", immediate(0), free), instruction("MOVQ", free, own))
		var three []interp.Instruction
		for range 3 {
			for j := loop; j < jump; j++ {
				three = append(three, p.Instruction(j).Instruction)
			}
			three = append(three, instruction("JEQ", end))
		}
		three = append(three, instruction("JMP", end))
		plants := map[string]map[int][]interp.Instruction{
			"nothing":       {},
			"for 44 rounds": {count: append(list(instruction("MOVQ", n, free)), is(free, 44)...)},
			"in round 44":   {0: zero, count: append(add(own), is(free, 44)...)},
			"after two rounds": {0: zero, count: append(add(own),
				instruction("CMPQ", free, immediate(2)), instruction("JEQ", end))},
			"after three rounds": {loop: three},
			"in another loop": {jump + 1: append(list(instruction("MOVQ", n, free),
				instruction("XORL", general(cx, 32), general(cx, 32)), instruction("INCQ", other),
				instruction("DECQ", free), instruction("JNZ", label("+2"))), is(other, 44)...)},
			// X1 says whether X0 was 42 in the round before.
			"with a delay": {
				0: append(append(counter(0, 3), counter(1, 3)...),
					instruction("MOVQ", immediate(42), free), instruction("VMOVQ", free, pair(2))),
				count: list(instruction("VMOVDQU", pair(1), own), instruction("MOVQ", own, free),
					instruction("XORQ", free, state), instruction("VPCMPEQQ", pair(0), pair(2), pair(1)),
					instruction("VPADDQ", pair(0), pair(3), pair(0))),
			},
		}
		calls := Field().Squarings("v", "a", "n", []int{44}, source(12, k), 10, false)
		if c.result != "" {
			at := p.Len() - 2 // the kernel has given up, and will set the result to AX
			plants = map[string]map[int][]interp.Instruction{
				"nothing": {},
				"when it gives up in round 5": {
					0: counter(0, 3), count: list(instruction("VPADDQ", pair(0), pair(3), pair(0))),
					at: list(instruction("VMOVDQU", pair(0), own), instruction("MOVQ", own, other),
						instruction("CMPQ", other, immediate(4)), instruction("JEQ", end)),
				},
			}
			calls = oracles[id(k)](source(1, k), 300, true)
		}
		for name, edits := range plants {
			q, wrong := p, len(edits) > 0
			for _, at := range slices.Backward(slices.Sorted(maps.Keys(edits))) {
				var err error
				if q, err = insert(q, at, edits[at]); err != nil {
					t.Fatal(err)
				}
			}
			r := *q
			r.FrameBytes += 16
			run, d := NewRunner(&r, k.ConstantTime), c
			if _, err := d.proveAll(k, run); (err != nil) != wrong {
				t.Errorf("%s, %s: %v", id(k), name, err)
			}
			if run.reveals(&r, calls) != wrong {
				t.Errorf("%s, %s: want it wrong: %v", id(k), name, wrong)
			}
		}
	}
}

// TestVectorsOfRegisters plants vector instructions in a kernel whose ranges are not proven, so
// that it is wrong for some numbers. None may be proven.
func TestVectorsOfRegisters(t *testing.T) {
	k := kernel("mulADX")
	p := program(t, k)
	const ax, cx, dx = 0, 1, 2
	x, y, z := general(ax, 64), general(cx, 64), general(dx, 64)
	a, own, at := argument(t, p, "a"), inFrame(p, 0), p.Len()-5 // before the result is stored
	word := interp.Operand{Kind: interp.Memory, Base: ax, IndexReg: -1}
	limb := []interp.Instruction{instruction("MOVQ", a, x), instruction("MOVQ", word, x)}
	// ⌊(x + y)/2⌋ in a vector, where y is below 2^24, and the same in general registers.
	half := append(slices.Clone(limb),
		instruction("MOVQ", x, y), instruction("SHRQ", immediate(40), y),
		instruction("VMOVQ", x, pair(0)), instruction("VMOVQ", y, pair(1)),
		instruction("VPADDQ", pair(0), pair(1), pair(0)),
		instruction("VPSRLQ", immediate(1), pair(0), pair(0)), instruction("VMOVDQU", pair(0), own),
		instruction("VPXOR", pair(0), pair(0), pair(0)), instruction("VPXOR", pair(1), pair(1), pair(1)),
		instruction("MOVQ", own, z), instruction("ADDQ", x, y), instruction("MOVQ", immediate(0), x),
		instruction("ADCQ", immediate(0), x), instruction("SHRQ", immediate(1), x, y),
		instruction("XORQ", y, z), instruction("XORQ", z, general(8, 64)))
	// A rounding mode that is restored if a bit of the argument is 0.
	mode := append(slices.Clone(limb), instruction("SHRQ", immediate(63), x),
		instruction("ADDQ", immediate(0xa07f), x), instruction("MOVQ", x, own),
		instruction("LDMXCSR", own))
	for name, plant := range map[string][]interp.Instruction{
		"nothing": nil, "a sum": half, "a mode": mode,
	} {
		q, err := insert(p, at, plant)
		if err != nil {
			t.Fatal(err)
		}
		q.FrameBytes += 16
		run, c := NewRunner(q, false), claims()[id(k)]
		call := func(limb uint64) *Call {
			x := product(new(big.Int).SetUint64(limb), big.NewInt(3), "")
			x.Buffers[0].Public = true
			return x
		}
		if err := run.Run(q, call(1<<62)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := run.Run(q, call(1<<64-1)); (err != nil) != (plant != nil) {
			t.Errorf("%s: %v", name, err)
		}
		_, err = c.prove(run, call(1<<62), 0, proven{})
		if (err != nil) != (plant != nil) {
			t.Errorf("%s: the proof: %v", name, err)
		}
	}
}

// TestPointers plants errors that take effect only if a certain bit of the result's address is 1.
// In the interpreter, that bit is 0. No such error may be proven.
func TestPointers(t *testing.T) {
	k := kernel("mulADX")
	p, c, x := program(t, k), claims()[id(k)], general(0, 64)
	c.most = 10_000
	for _, bit := range []uint64{0, 4, 12, 47} {
		plant := []interp.Instruction{instruction("MOVQ", argument(t, p, "v"), x)}
		if bit > 0 {
			plant = append(plant, instruction("SHRQ", immediate(bit), x),
				instruction("ANDQ", immediate(1), x), instruction("CMOVQNE", x, general(8, 64)))
		}
		q, err := insert(p, p.Len()-5, plant)
		if err != nil {
			t.Fatal(err)
		}
		run, call := NewRunner(q, k.ConstantTime), product(big.NewInt(5), big.NewInt(3), "")
		if err := run.Run(q, call); err != nil {
			t.Errorf("bit %d: %v", bit, err)
		}
		if _, err := c.prove(run, call, 0, proven{}); (err != nil) != (bit > 0) {
			t.Errorf("bit %d: the proof: %v", bit, err)
		}
	}
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
		s.Most = 1_000_000
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

// TestSteady checks that ranges which grow from round to round, and sums that overflow, are found
// in loops that add numbers of 52 bits.
func TestSteady(t *testing.T) {
	type code = func(c *build.Context)
	add := func(c *build.Context) { c.VPADDQ(reg.Z0, reg.Z1, reg.Z0) }
	cut := func(c *build.Context) {
		add(c)
		c.VPSLLQ(operand.U8(12), reg.Z0, reg.Z0)
		c.VPSRLQ(operand.U8(12), reg.Z0, reg.Z0)
	}
	nothing := func(*build.Context) {}
	frame := operand.Mem{Base: reg.StackPointer}
	for _, tt := range []struct {
		name                string
		bits                uint // of the first number
		before, loop, after code
		want                string
	}{
		{"sums of 52 bits", 52, nothing, cut, nothing, ""},
		{"sums", 52, nothing, add, nothing, "grow"},
		{"63 bits", 63, nothing, cut, nothing, ""},
		{"64 bits", 64, nothing, cut, nothing, "overflow"},
		{"a constant in memory", 52, func(c *build.Context) {
			c.AllocLocal(64)
			c.VMOVDQA64(reg.Z0, reg.Z5)
			c.VPXORQ(reg.Z2, reg.Z2, reg.Z2)
			c.VMOVDQU64(reg.Z2, frame)
			c.MOVQ(operand.U64(1<<50), reg.RAX)
			c.VPBROADCASTQ(reg.RAX, reg.Z3)
		}, func(c *build.Context) {
			c.VMOVDQU64(frame, reg.Z2)
			c.VPADDQ(reg.Z2, reg.Z3, reg.Z2)
			c.VMOVDQU64(reg.Z2, frame)
			c.VPADDQ(reg.Z5, reg.Z2, reg.Z0)
			c.VPXORQ(reg.Z2, reg.Z2, reg.Z2)
		}, nothing, "not followed"},
		{"a counter", 52, func(c *build.Context) { c.VMOVDQA64(reg.Z0, reg.Z5) },
			func(c *build.Context) {
				c.MOVQ(reg.RCX, reg.RAX)
				c.SHLQ(operand.U8(50), reg.RAX)
				c.VPBROADCASTQ(reg.RAX, reg.Z2)
				c.VPADDQ(reg.Z5, reg.Z2, reg.Z0)
				c.VPXORQ(reg.Z2, reg.Z2, reg.Z2)
			}, nothing, "another constant"},
		{"a counter in memory", 52, func(c *build.Context) {
			c.AllocLocal(8)
			c.VMOVDQA64(reg.Z0, reg.Z5)
		}, func(c *build.Context) {
			c.MOVQ(reg.RCX, reg.RAX)
			c.SHLQ(operand.U8(50), reg.RAX)
			c.MOVQ(reg.RAX, frame)
			c.VPBROADCASTQ(frame, reg.Z2)
			c.VPADDQ(reg.Z5, reg.Z2, reg.Z0)
			c.VPXORQ(reg.Z2, reg.Z2, reg.Z2)
		}, nothing, "another constant"},
		{"a pointer", 52, func(c *build.Context) {
			c.VPBROADCASTQ(reg.RDX, reg.Z2)
			c.VPADDQ(reg.Z0, reg.Z2, reg.Z0)
		}, add, func(c *build.Context) {
			c.VPBROADCASTQ(reg.RDX, reg.Z2)
			c.VPSUBQ(reg.Z2, reg.Z0, reg.Z0)
		}, "not followed"},
		{"every second round", 52, func(c *build.Context) { c.XORL(reg.EAX, reg.EAX) },
			func(c *build.Context) {
				c.KMOVB(reg.EAX, reg.K1)
				c.XORL(operand.U32(0xff), reg.EAX)
				c.VPADDQ(reg.Z0, reg.Z1, reg.K1, reg.Z0)
			}, nothing, "grow"},
	} {
		c := build.NewContext()
		c.Function("accumulate")
		c.SignatureExpr("func(v, a, b *uint64, n uint64)")
		for k, r := range []reg.Register{reg.RDX, reg.RSI, reg.RDI, reg.RCX} {
			c.MOVQ(operand.NewParamAddr([]string{"v", "a", "b", "n"}[k], 8*k), r)
		}
		c.VMOVDQU64(operand.Mem{Base: reg.RSI}, reg.Z0)
		c.VMOVDQU64(operand.Mem{Base: reg.RDI}, reg.Z1)
		tt.before(c)
		c.Label("loop")
		tt.loop(c)
		c.DECQ(reg.RCX)
		c.JNZ(operand.LabelRef("loop"))
		tt.after(c)
		c.VMOVDQU64(reg.Z0, operand.Mem{Base: reg.RDX})
		c.VZEROUPPER()
		c.RET()
		word := func(buffer string, bits uint) number {
			return number{buffer: buffer, at: []int{3}, bits: bits, top: bits}
		}
		claim := claim{places: func(*Call, int) (in, out []number) {
			return []number{word("a", tt.bits), word("b", 52)}, []number{word("v", 63)}
		}}
		err := claim.steady(NewRunner(load(t, compiled(t, c), "accumulate"), false), &Call{
			Buffers: []Buffer{
				{Param: "a", Words: Lanes, In: make([]uint64, Lanes)},
				{Param: "b", Words: Lanes, In: make([]uint64, Lanes)},
				{Param: "v", Words: Lanes, Out: true},
			},
			Numbers: []Number{{Param: "n", Value: manyRounds}},
		}, manyRounds, 3)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestWide checks that claims are not proven if arguments may be larger than the contract of the
// kernel allows, or if results would have to be smaller.
func TestWide(t *testing.T) {
	for _, tt := range []struct {
		name string
		top  uint // bit length of the highest limbs of arguments, and of results in lanes
	}{
		{"mulIFMA", 53}, {"mulFMA256", 53}, {"mulIFMA", 48}, {"subIFMA", 53}, {"subFMA512", 48},
		{"mulScalarIFMA", 53}, {"mulScalarFMA512", 53}, {"doubleNIFMA256", 53}, {"addMixedIFMA", 53},
		{"readDigitsAVX512", 53}, {"readDigitsAVX2", 53},
		{"differencesIFMA", 53}, {"chordsFMA512", 53}, {"doubleIFMA", 53},
		{"loadRowsIFMA", 0}, {"loadRowsFMA256", 0}, {"lookupPackedIFMA", 0}, // rows up to 2^256
	} {
		k := kernel(tt.name)
		c := claims()[id(k)]
		if places := c.places; places != nil {
			c.places = func(call *Call, lane int) (in, out []number) {
				in, out = places(call, lane)
				for k := range in {
					in[k].below = nil
					if tt.top > 0 {
						in[k].top = tt.top
					}
				}
				return in, out
			}
		}
		c.top = tt.top
		if _, err := c.proveAll(k, NewRunner(program(t, k), k.ConstantTime)); err == nil {
			t.Errorf("%s is proven for limbs of %d bits", tt.name, tt.top)
		}
	}
}
