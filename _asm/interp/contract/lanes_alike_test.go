package contract

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64/probes"
)

// This file plants errors in single lanes. Where a proof follows one lane for all, none of these
// kernels may be proven.

// A laneSubject is a kernel in which errors are planted: a sum, whose limbs are in registers before
// they are stored.
type laneSubject struct {
	name   string
	bits   uint  // of a vector register
	temps  []int // vector registers that hold nothing when the sum is stored
	free   []int // general registers that hold nothing then
	first  int   // index of the first store
	last   int
	kernel *interp.Program
	run    *Runner
	call   *Call
	right  []uint64 // what the call leaves
}

// odd is the lane, of a register, in which vectors of data differ.
const odd = 1

// laneData are the vectors of data that plants use. An even one has the same number in all lanes,
// or the number of the lane, and the next one differs from it in one lane.
var laneData = func() (all [][Lanes]uint64) {
	for _, v := range []uint64{
		0, 1, 1<<52 - 1, ^uint64(0), 0x433 << 52, 0x8080808080808080, 0x467 << 52,
	} {
		x := [Lanes]uint64{v, v, v, v, v, v, v, v}
		y := x
		if y[odd] ^= 3; v>>60 != 4 { // no double-precision number
			y[odd] ^= 1 << 63
		}
		all = append(all, x, y)
	}
	x := [Lanes]uint64{0, 1, 2, 3, 4, 5, 6, 7}
	y := x
	y[odd], y[odd+1] = y[odd+1], y[odd]
	return append(all, x, y, [Lanes]uint64{0x7f80}, [Lanes]uint64{0xa07f}) // two values of MXCSR
}()

// newLaneSubject returns the kernel with the given name.
func newLaneSubject(t *testing.T, name string, bits uint) *laneSubject {
	k := kernel(name)
	p := program(t, k)
	s := &laneSubject{name: name, bits: bits, first: -1}
	used := map[[2]int]bool{}
	for j := range p.Len() {
		i := p.Instruction(j)
		for _, o := range i.Op {
			used[[2]int{int(o.Kind), o.Index}] = o.Kind <= interp.Mask
			if o.Kind == interp.Memory {
				used[[2]int{0, max(o.Base, 0)}], used[[2]int{0, max(o.IndexReg, 0)}] = true, true
			}
		}
		if n := len(i.Op); n > 0 && i.Op[n-1].Kind == interp.Memory && i.Op[0].Kind == interp.Vec {
			if s.last = j; s.first < 0 {
				s.first = j
			}
		}
	}
	for r := range 16 {
		if !used[[2]int{int(interp.Vec), r}] {
			s.temps = append(s.temps, r)
		}
		if r != 4 && r != 5 && !used[[2]int{int(interp.General), r}] {
			s.free = append(s.free, r)
		}
	}
	if len(s.temps) < 4 || len(s.free) < 4 {
		t.Fatalf("%s: registers %v and %v are free", name, s.temps, s.free)
	}
	q := *p
	var data []byte
	for _, v := range laneData {
		for _, x := range v {
			data = binary.LittleEndian.AppendUint64(data, x)
		}
	}
	q.Data = append(slices.Clone(p.Data), interp.Datum{Name: "plants", Bytes: data})
	s.kernel = &q
	// The runner's program has NOPs after the kernel, which plants replaces by instructions.
	extended, err := s.program(q.Len(), slices.Repeat([]interp.Instruction{instruction("NOP")}, 80))
	if err != nil {
		t.Fatal(err)
	}
	s.run = NewRunner(extended, false)
	s.call = provable(k, new(claim), 1)[0]
	s.right = s.results(t, s.run.program)
	return s
}

// results returns the numbers that the program leaves, or nil if it stops.
func (s *laneSubject) results(t *testing.T, p *interp.Program) []uint64 {
	x, err := s.run.instance(s.call)
	if err == nil {
		err = s.run.load(x, p, s.call)
	}
	if err != nil {
		t.Fatal(err)
	}
	if x.machine.Run() != nil {
		return nil
	}
	w, err := x.regions["v"].Words(0, ElementWords)
	if err != nil {
		return nil
	}
	return w
}

// wrong returns the lanes in which the program leaves other numbers than the kernel.
func (s *laneSubject) wrong(t *testing.T, p *interp.Program) map[int]bool {
	lanes := map[int]bool{}
	for k, w := range s.results(t, p) {
		if w != s.right[k] {
			lanes[k%Lanes] = true
		}
	}
	return lanes
}

// vec, mask and general return registers as operands.
func (s *laneSubject) vec(k int) interp.Operand {
	return interp.Operand{Kind: interp.Vec, Index: k, Bits: s.bits, IndexReg: -1}
}

func maskRegister(k int) interp.Operand {
	return interp.Operand{Kind: interp.Mask, Index: k, Bits: 64, IndexReg: -1}
}

func general(k int, bits uint) interp.Operand {
	return interp.Operand{Kind: interp.General, Index: k, Bits: bits, IndexReg: -1}
}

// data returns the operand that is vector k of laneData.
func (s *laneSubject) data(k int) interp.Operand {
	at := len(s.kernel.Data) - 1
	return interp.Operand{Kind: interp.Memory, Base: interp.Static, Data: at, Name: "plants",
		Disp: int64(64 * k), IndexReg: -1}
}

func instruction(opcode string, operands ...interp.Operand) interp.Instruction {
	return interp.Instruction{Opcode: opcode, Operands: operands}
}

// program returns the kernel with the instructions x before the one with index at.
func (s *laneSubject) program(at int, x []interp.Instruction) (*interp.Program, error) {
	return insert(s.kernel, at, x)
}

// A filling says what the operands of an instruction are: the vectors and the memory are vectors of
// laneData, or limb 0 of the sum if the number is negative, and the masks and general registers are
// numbers.
type filling struct {
	vectors [3]int
	masks   [2]uint64
	general uint64
	memory  int
}

// set returns instructions that fill the operands of a probe.
func (s *laneSubject) set(f *filling, limb interp.Operand) (out []interp.Instruction) {
	for k, v := range f.vectors {
		from := limb
		if v >= 0 {
			from = s.data(v)
		}
		out = append(out, instruction("VMOVDQU64", from, s.vec(s.temps[k])))
	}
	number := func(x uint64, k int) interp.Instruction {
		return instruction("MOVQ", interp.Operand{Kind: interp.Immediate, Imm: x, Bits: 64, IndexReg: -1},
			general(s.free[k], 64))
	}
	for k, m := range f.masks {
		out = append(out, number(m, k), instruction("KMOVB", general(s.free[k], 32), maskRegister(1+k)))
	}
	for k := range s.free[:4] {
		out = append(out, number(f.general+uint64(k), k))
	}
	return append(out, instruction("ADDQ", general(s.free[3], 64), general(s.free[3], 64)))
}

// fit returns the instruction x of a probe with the operands of a plant. memory is its operand in
// memory.
func (s *laneSubject) fit(x interp.Instruction, memory interp.Operand) interp.Instruction {
	x = x.Clone()
	for k := range x.Operands {
		switch o := &x.Operands[k]; o.Kind {
		case interp.Vec:
			o.Index = s.temps[o.Index]
		case interp.General:
			o.Index = s.free[o.Index]
		case interp.Memory:
			*o = memory
		}
	}
	return x
}

// plant returns the kernel with an error: it adds to limb 0 of the sum what x computes from the
// operands f, less what x computes from g if that is not nil. Instructions that write memory write
// a word of the sum, or the words from there on.
func (s *laneSubject) plant(
	x interp.Instruction, f, g *filling, lane int,
) (*interp.Program, error) {
	store := s.kernel.Instruction(s.first)
	limb := store.Operands[0]
	if len(x.Operands) == 0 {
		return s.program(s.first, []interp.Instruction{x})
	}
	to := x.Operands[len(x.Operands)-1]
	if to.Kind == interp.Memory {
		if g != nil {
			f = g
		}
		memory := store.Operands[len(store.Operands)-1]
		memory.Disp += int64(8 * lane)
		return s.program(s.last+1, append(s.set(f, limb), s.fit(x, memory)))
	}
	done := s.vec(s.temps[3])
	result := s.fit(x, limb).Operands[len(x.Operands)-1]
	var out []interp.Instruction
	sum := func(f *filling, opcode string) {
		out = append(append(out, s.set(f, limb)...), s.fit(x, s.data(f.memory)))
		switch result.Kind {
		case interp.Vec:
			out = append(out, instruction(opcode, s.vec(result.Index), limb, limb))
			return
		case interp.General:
			result.Bits = 32
			out = append(out, instruction("KMOVB", result, maskRegister(2)))
		}
		out = append(out, instruction("VMOVDQU64", s.data(2), done),
			instruction(opcode, done, limb, maskRegister(2), limb))
	}
	rounding := func(k int) {
		if strings.HasSuffix(x.Opcode, "PD") && x.Opcode != "VMOVMSKPD" {
			out = append(out, instruction("LDMXCSR", s.data(k)))
		}
	}
	rounding(len(laneData) - 2)
	if sum(f, "VPADDQ"); g != nil {
		sum(g, "VPSUBQ")
	}
	rounding(len(laneData) - 1)
	return s.program(s.first, out)
}

// fillings returns two random fillings that differ in one place, or one filling and nil.
func fillings(r *rand.Rand) (f, g *filling) {
	some := func() int {
		if r.IntN(3) == 0 {
			return -1
		}
		return 2 * r.IntN(len(laneData)/2-1)
	}
	f = &filling{[3]int{some(), some(), some()}, [2]uint64{0xff, 0}, uint64(r.IntN(3)),
		max(some(), 2)}
	if r.IntN(2) == 0 {
		f.masks = [2]uint64{0, 0xff}
	}
	h := *f
	switch k := r.IntN(6); {
	case k < 3 && h.vectors[k] >= 0:
		h.vectors[k]++
	case k == 3:
		h.memory++
	case k == 4:
		h.masks[0] ^= 1 << odd
	case k == 5:
		h.masks[1] ^= 1<<odd | 1<<(odd+4)
	default:
		if r.IntN(2) == 0 {
			return &h, nil
		}
		h.general = 1 << odd
	}
	return f, &h
}

// laneProbes returns the instructions of all probes that can write a lane: those with a vector, a
// mask, or a result in memory.
func laneProbes(t *testing.T) (out []interp.Instruction) {
	cases := probes.All()
	file, err := probes.Compile(cases)
	if err != nil {
		t.Fatal(err)
	}
	for k := range cases {
		p, err := amd64.Load(file, cases[k].Name(k))
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for p.Instruction(at).Opcode != "ADDB" {
			at++
		}
		x := p.Instruction(at + 1).Instruction
		if len(x.Operands) == 0 && strings.HasPrefix(x.Opcode, "V") ||
			slices.ContainsFunc(x.Operands, func(o interp.Operand) bool {
				return o.Kind == interp.Vec || o.Kind == interp.Mask
			}) || len(x.Operands) > 0 && x.Operands[len(x.Operands)-1].Kind == interp.Memory &&
			x.Opcode != "CMPQ" && x.Opcode != "TESTQ" {
			out = append(out, x)
		}
	}
	return out
}

// TestOneLane plants every instruction of the interpreter, in each form that probes have, so that
// it changes the result of some lanes and not of others. None may be proven: a lane stands for all
// only if all are treated alike. Without the proof, none is found.
func TestOneLane(t *testing.T) {
	list := laneProbes(t)
	for name, bits := range map[string]uint{"addIFMA": 512, "addIFMA256": 256} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := newLaneSubject(t, name, bits), claims()["lanes."+name]
			prove := func(p *interp.Program) (err error) {
				defer stopped(&err)
				_, err = c.prove(s.run.fault(p), s.call, 0, proven{})
				return err
			}
			if err := prove(s.run.program); err != nil {
				t.Fatal(err)
			}
			off := func(*interp.Program) error { return nil }
			planted, without, found, forms := 0, 0, map[string]int{}, map[string]int{}
			for _, x := range list {
				if slices.ContainsFunc(x.Operands, func(o interp.Operand) bool { return o.Bits > s.bits }) {
					continue
				}
				plants := s.plants(t, x)
				forms[x.Opcode] = max(forms[x.Opcode], len(plants))
				if len(plants) == 0 && selects(&x) {
					t.Errorf("nothing planted: %s", s.run.program.Arch.Text(&x))
				}
				for _, q := range plants {
					planted++
					if off(q) != nil {
						without++
					}
					err := prove(q)
					var f *interp.Fault
					switch {
					case err == nil:
						t.Errorf("proven: %s", s.run.program.Arch.Text(&x))
					case errors.As(err, &f):
						reason, _, _ := strings.Cut(f.Reason, ",")
						found[reason]++
					default:
						found["the claim"]++
					}
				}
			}
			for opcode, n := range forms {
				if n == 0 && opcode != "VZEROALL" {
					t.Errorf("nothing planted with %s", opcode)
				}
			}
			if without > 0 {
				t.Errorf("%d found without a proof", without)
			}
			t.Logf("%d planted with %d opcodes, and found by %v", planted, len(forms), found)
		})
	}
}

// selects reports whether a mask selects lanes of x. A comparison that never holds makes no
// difference.
func selects(x *interp.Instruction) bool {
	at := slices.IndexFunc(x.Operands, func(o interp.Operand) bool { return o.Kind == interp.Mask })
	return at >= 0 && at < len(x.Operands)-1 && (x.Opcode != "VPCMPUQ" || x.Operands[0].Imm != 3)
}

// plants returns kernels in which x makes some lanes wrong, and not others.
func (s *laneSubject) plants(t *testing.T, x interp.Instruction) (out []*interp.Program) {
	r := rand.New(rand.NewPCG(5, 6))
	most := 60
	if strings.HasSuffix(x.Opcode, "PD") { // most operands are not allowed
		most = 1000
	}
	for tries := 0; tries < most && len(out) < 2; tries++ {
		f, g := fillings(r)
		q, err := s.plant(x, f, g, tries%int(s.bits/64))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := s.wrong(t, q); len(wrong) > 0 && len(wrong) < Lanes {
			out = append(out, q)
		}
	}
	return out
}

// TestLanesInMemory moves lanes by stores that overlap, and a word that moves no lane. Where words
// are in other lanes, the kernel may not be proven.
func TestLanesInMemory(t *testing.T) {
	s, c := newLaneSubject(t, "addIFMA", 512), claims()["lanes.addIFMA"]
	p, limb, free := s.kernel, s.kernel.Instruction(s.first).Operands[0], general(s.free[0], 64)
	for _, to := range []int{0, 8} {
		q, err := s.program(s.first, []interp.Instruction{
			instruction("VMOVDQU64", limb, inFrame(p, 8)), instruction("VMOVDQU64", limb, inFrame(p, to)),
			instruction("MOVQ", inFrame(p, to), free), instruction("MOVQ", free, inFrame(p, 8)),
			instruction("VMOVDQU64", inFrame(p, 8), limb),
		})
		if err != nil {
			t.Fatal(err)
		}
		q.FrameBytes += 72
		run := NewRunner(q, true)
		wrong := run.Run(q, s.call) != nil
		if _, err := c.prove(run, s.call, 0, proven{}); (err != nil) != wrong || wrong != (to == 0) {
			t.Errorf("%d: wrong: %v, the proof: %v", to, wrong, err)
		}
	}
}
