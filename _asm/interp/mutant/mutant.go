// Package mutant makes kernels with one planted error each. A test that runs
// them against the kernel's contract measures whether the contract's inputs
// would find such an error: a mutant that computes the right results everywhere
// is either harmless or shows an input that is missing.
package mutant

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Mutant replaces one instruction of a function.
type Mutant struct {
	Index       int // of the instruction, from 0
	Kind        string
	Original    *ir.Instruction
	Instruction *ir.Instruction
}

func (m *Mutant) String() string {
	return fmt.Sprintf("%d: %s: %s -> %s", m.Index, m.Kind, interp.Text(m.Original), interp.Text(m.Instruction))
}

// others names the opcodes that an opcode is replaced by: those that a slip of
// the generator would write, and all that differ in one carry.
var others = map[string][]string{
	"ADCXQ": {"ADOXQ", "ADDQ"}, "ADOXQ": {"ADCXQ", "ADDQ"},
	"ADDQ": {"ADCQ", "SUBQ"}, "ADCQ": {"ADDQ", "SBBQ"},
	"SUBQ": {"SBBQ", "ADDQ"}, "SBBQ": {"SUBQ", "ADCQ"},
	"ANDQ": {"ORQ"}, "ORQ": {"ANDQ"}, "XORQ": {"ORQ"},
	"NEGQ": {"NOTQ"}, "NOTQ": {"NEGQ"}, "INCQ": {"DECQ"}, "DECQ": {"INCQ"},
	"SHLQ": {"SHRQ"}, "SHRQ": {"SHLQ", "SARQ"}, "SARQ": {"SHRQ"},
	"SHLXQ": {"SHRXQ"}, "SHRXQ": {"SHLXQ"}, "MOVQ": {"ADDQ"},
	"VPAND": {"VPOR"}, "VPOR": {"VPAND"}, "VPANDN": {"VPAND"}, "VPXOR": {"VPAND"},
	"VPANDQ": {"VPORQ"}, "VPORQ": {"VPANDQ"}, "VPANDNQ": {"VPANDQ"},
	"VPADDQ": {"VPSUBQ"}, "VPSUBQ": {"VPADDQ"}, "VPCMPEQQ": {"VPCMPGTQ"},
	"VPADDD": {"VPSUBD"}, "VPCMPEQD": {"VPADDD"}, "PAND": {"POR"}, "POR": {"PAND"},
	"VPMADD52LUQ": {"VPMADD52HUQ"}, "VPMADD52HUQ": {"VPMADD52LUQ"},
}

// negated pairs the conditions.
var negated = func() map[string]string {
	m := map[string]string{}
	for _, p := range []string{"OS OC", "CS CC", "EQ NE", "LS HI", "MI PL", "PS PC", "LT GE", "LE GT"} {
		yes, no, _ := strings.Cut(p, " ")
		m[yes], m[no] = no, yes
	}
	return m
}()

// All returns the mutants of a function on which avo's passes have run.
func All(fn *ir.Function) []Mutant {
	var out []Mutant
	for k, i := range fn.Instructions() {
		if i.Opcode == "RET" {
			continue
		}
		add := func(kind string, n *ir.Instruction) {
			out = append(out, Mutant{Index: k, Kind: kind, Original: i, Instruction: n})
		}
		add("deleted", &ir.Instruction{Opcode: "NOP"})
		for _, o := range others[i.Opcode] {
			if o == "ADDQ" && i.Opcode == "MOVQ" && !plainMove(i) {
				continue
			}
			n := clone(i)
			n.Opcode = o
			add("another opcode", n)
		}
		for _, prefix := range []string{"CMOVQ", "SET", "J"} {
			if c, ok := strings.CutPrefix(i.Opcode, prefix); ok && negated[c] != "" {
				n := clone(i)
				n.Opcode = prefix + negated[c]
				add("negated", n)
			}
		}
		if strings.HasPrefix(i.Opcode, "MULX") {
			n := clone(i)
			n.Operands[1], n.Operands[2] = n.Operands[2], n.Operands[1]
			add("halves swapped", n)
		}
		operands(i, add)
	}
	return out
}

// plainMove returns whether a move is between general registers or from memory
// to one, so that an addition has the same operands.
func plainMove(i *ir.Instruction) bool {
	_, imm := i.Operands[0].(operand.Constant)
	return operand.IsR64(i.Operands[1]) && !imm && !operand.IsXMM(i.Operands[0])
}

// operands changes each operand a little: an immediate by one, an offset by a
// limb, a register to its neighbour.
func operands(i *ir.Instruction, add func(string, *ir.Instruction)) {
	for k, o := range i.Operands {
		with := func(kind string, p operand.Op) {
			n := clone(i)
			n.Operands[k] = p
			add(kind, n)
		}
		switch o := o.(type) {
		case operand.U8:
			with("immediate", o^1)
		case operand.I8:
			with("immediate", o^1)
		case operand.U32:
			with("immediate", o^1)
		case operand.I32:
			with("immediate", o^1)
		case operand.U64:
			with("immediate", o^1)
		case operand.Mem:
			p := o
			p.Disp += 8
			with("offset", p)
			p.Disp -= 16
			with("offset", p)
		case reg.Register:
			if p := neighbour(o); p != nil {
				with("register", p)
			}
		}
	}
}

// neighbour returns the next register of the same kind and width that is not
// the stack pointer.
func neighbour(r reg.Register) reg.Register {
	p := reg.ToPhysical(r)
	count := reg.Index(16)
	switch p.Kind() {
	case reg.KindOpmask:
		count = 8
	case reg.KindGP, reg.KindVector:
	default:
		return nil
	}
	next := (p.PhysicalIndex() + 1) % count
	for (p.Kind() == reg.KindGP && next == reg.RSP.PhysicalIndex()) || (p.Kind() == reg.KindOpmask && next == 0) {
		next++
	}
	n := reg.LookupPhysical(p.Kind(), next, reg.Spec(p.Mask()))
	if n == nil {
		return nil
	}
	return n
}

func clone(i *ir.Instruction) *ir.Instruction {
	n := *i
	n.Operands = append([]operand.Op(nil), i.Operands...)
	return &n
}
