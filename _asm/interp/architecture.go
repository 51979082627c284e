package interp

import (
	"fmt"
	"slices"
	"strings"
)

// An Architecture describes one instruction set: its registers, its calling convention, and the
// effect of each instruction. The rules for kernels are in this package, because they are the same
// for all architectures.
//
// An empty field means that the instruction set lacks that feature.
type Architecture struct {
	Name string
	// Registers lists the names of the general registers, which have 64 bits each.
	Registers []string
	// Vectors is the number of vector registers, and Lanes the number of 64-bit lanes in each: 1,
	// 2, 4 or 8.
	Vectors, Lanes int
	// Masks is the number of mask registers.
	Masks int
	// Flags lists the names of the flags.
	Flags []string

	// Kept lists the general registers that a kernel may not use for values: the stack pointer and
	// the frame pointer.
	Kept []int
	// Linker lists the general registers that the linker may use to address read-only data. After
	// an access to read-only data, these registers hold no value.
	Linker []int

	// Instructions maps the opcode of every instruction that kernels may use to its description.
	Instructions map[string]*Kind
	// Decode, if set, is called after the opcode was found, and sets the remaining fields of the
	// instruction. It returns an error if the instruction cannot be assembled.
	Decode func(i *Inst) error
	// Format returns an operand in the assembler's syntax.
	Format func(o *Operand) string
	// Syntax, if set, returns the instruction x in the assembler's syntax. operands are its
	// operands in that syntax. If Syntax is nil, the operands follow the opcode, separated by
	// commas.
	Syntax func(x *Instruction, operands []string) string

	// Reserved returns a list indexed by the numbers of the general registers. An entry is the
	// reason why a program may not write the register, or "" if it may. If Reserved is nil, a
	// program may write all registers.
	Reserved func(p *Program) []string
	// Begin sets the registers that hold a value when a kernel is called. If Begin is nil, no
	// register holds one.
	Begin func(m *Machine)
	// Return is called at a return. It stops the run if the return breaks a rule of the calling
	// convention that this package does not check.
	Return func(m *Machine)

	Mutations Mutations
}

// A Kind describes the instructions with one opcode.
type Kind struct {
	// Run executes an instruction. It accesses registers and memory with the machine's methods,
	// which check the rules. It must mark the result as secret if any operand is secret.
	Run func(m *Machine, i *Inst)

	Bits        uint   // width in bits of the operands of an integer instruction
	Least, Most int    // number of operands, not counting a mask that selects lanes
	Shape       string // kinds of the operands, in letters that the architecture defines
	Control     Control
	Variable    bool // time may depend on the operands, so it is forbidden in constant-time code
	Hint        bool // the instruction does not access its memory operand
	Masked      bool // a mask register before the destination may select the lanes to write
	Cancels     bool // a register combined with itself gives 0, as in XOR
	// Moves, if not nil, says that the instruction only moves parts of vectors.
	Moves *Moves
}

// Moves describes an instruction that moves parts of its source vectors to its last operand. The
// sources are the other operands except an immediate, which is the first operand.
type Moves struct {
	Bits  uint // width of a part
	Block int  // number of 64-bit lanes of the first source operand in memory; 0: as in the result
	// From returns the number of the part that becomes part k of the result, or −1 for zeros. The
	// parts of the sources are numbered from the last source operand to the first. imm is the
	// immediate, and n the number of parts of the result.
	From func(imm uint64, n, k int) int
}

// Sources returns the immediate of the instruction i, or 0, and its source operands from the last
// to the first, each with its number of lanes.
func (x *Moves) Sources(i *Inst) (imm uint64, sources []*Operand, lanes []int) {
	for k := len(i.Op) - 2; k >= 0; k-- {
		o, n := &i.Op[k], i.Lanes
		switch {
		case o.Kind == Immediate:
			return o.Imm, sources, lanes
		case o.Kind == Vec:
			n = int(o.Bits / 64)
		case x.Block > 0:
			n = x.Block
		}
		sources, lanes = append(sources, o), append(lanes, n)
	}
	return 0, sources, lanes
}

// Control says which instruction the machine runs next.
type Control uint8

const (
	Next Control = iota
	Jump
	JumpIf
	Return
)

// Mutations describes the errors that package mutant plants in programs for one architecture.
type Mutations struct {
	// NOP is the opcode of an instruction without operands that does nothing.
	NOP string
	// Opcodes returns the opcodes that may replace the opcode of the instruction i in a mutant.
	// They are likely errors of a generator, and opcodes that differ only in the use of a carry.
	Opcodes func(i *Instruction) []string
	// Negated returns the conditional opcode with the opposite condition, or "" if there is none.
	Negated func(opcode string) string
	// Results returns the indices of the two result operands of the instruction i. ok is false if i
	// has only one result.
	Results func(i *Instruction) (a, b int, ok bool)
	// Sources returns the indices of the two source operands of the instruction i, if their order
	// matters and a generator could exchange them by mistake. If Sources is nil, no instruction has
	// such operands.
	Sources func(i *Instruction) (a, b int, ok bool)
	// Neighbour returns the operand that names the register after the one in o. ok is false if
	// there is none.
	Neighbour func(o Operand) (next Operand, ok bool)
}

// Text returns the instruction x in the assembler's syntax.
func (a *Architecture) Text(x *Instruction) string {
	s := x.Opcode
	for _, suffix := range x.Suffixes {
		s += "." + suffix
	}
	operands := make([]string, len(x.Operands))
	for k := range x.Operands {
		operands[k] = a.Format(&x.Operands[k])
	}
	if a.Syntax != nil {
		return a.Syntax(x, operands)
	}
	return strings.TrimSuffix(s+" "+strings.Join(operands, ", "), " ")
}

// decode looks up the opcode of the instruction x, checks the operands, and returns x in decoded
// form.
func (a *Architecture) decode(x Instruction) (Inst, error) {
	kind, ok := a.Instructions[x.Opcode]
	if !ok {
		return Inst{}, fmt.Errorf("the interpreter does not know it")
	}
	i := Inst{
		Instruction: x, Kind: kind, Op: slices.Clone(x.Operands), Bits: kind.Bits, Target: -1,
		Text: a.Text(&x), run: kind.Run,
	}
	for k := range i.Op {
		i.Op[k].Text = a.Format(&i.Op[k])
	}
	if a.Decode != nil {
		if err := a.Decode(&i); err != nil {
			return Inst{}, err
		}
	}
	if len(i.Op) < kind.Least || len(i.Op) > kind.Most {
		return Inst{}, fmt.Errorf("%d operands", len(i.Op))
	}
	return i, nil
}

// A Condition is a test of at most three flags, as in conditional jumps.
type Condition struct {
	Flags []int
	Test  func(v [3]bool) bool // v has the values of Flags, in order
}

// Holds reports whether the flags meet the condition c, and whether this depends on secrets.
func (m *Machine) Holds(c *Condition) (yes, secret bool) {
	var v [3]bool
	for k, f := range c.Flags {
		w := m.GetFlag(f)
		v[k] = w.V == 1
		secret = secret || w.Secret
	}
	return c.Test(v), secret
}

// Conditions returns all conditions by name. opposites lists pairs of opposite conditions, and
// tests has the first condition of each pair.
func Conditions(opposites [][2]string, tests map[string]Condition) map[string]*Condition {
	all := map[string]*Condition{}
	for _, pair := range opposites {
		c := tests[pair[0]]
		all[pair[0]] = &c
		all[pair[1]] = &Condition{c.Flags, func(v [3]bool) bool { return !c.Test(v) }}
	}
	return all
}

// Opposite returns the opcode with the opposite condition, or "" if opcode is not one of prefixes
// followed by a condition. opposites lists pairs of opposite conditions.
func Opposite(opposites [][2]string, opcode string, prefixes ...string) string {
	for _, prefix := range prefixes {
		c, ok := strings.CutPrefix(opcode, prefix)
		for _, pair := range opposites {
			switch {
			case ok && c == pair[0]:
				return prefix + pair[1]
			case ok && c == pair[1]:
				return prefix + pair[0]
			}
		}
	}
	return ""
}

// MemoryText returns the memory operand o in the syntax of Go's assembler. names lists the general
// registers. Local variables begin at the address in the register named stack plus locals, a number
// of bytes.
func MemoryText(o *Operand, names []string, stack string, locals int64) string {
	d, base := o.Disp, stack
	switch o.Base {
	case Arguments:
		return fmt.Sprintf("%s+%d(FP)", o.Name, d)
	case Static:
		return fmt.Sprintf("%s+%d(SB)", o.Name, d)
	case Frame:
		d += locals
	default:
		base = names[o.Base]
	}
	if d == 0 {
		return "(" + base + ")"
	}
	return fmt.Sprintf("%d(%s)", d, base)
}
