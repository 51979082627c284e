package interp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Architecture is the table of one instruction set: its registers, its calling
// convention, and what each instruction does. What a kernel may not do with them is in
// this package, the same for all.
//
// An empty field is a thing that the instruction set does not have.
type Architecture struct {
	Name string
	// Registers are the names of the general registers, of 64 bits each.
	Registers []string
	// Vectors is the number of vector registers, and Lanes how many lanes of 64 bits
	// one has: 1, 2, 4 or 8.
	Vectors, Lanes int
	// Masks is the number of mask registers.
	Masks int
	// Flags are the names of the flags.
	Flags []string

	// Kept are the general registers that hold no value of the kernel's: stack and
	// frame pointer.
	Kept []int
	// Linker are the general registers that the linker may use to reach read-only
	// data. An access to such data leaves no value in them.
	Linker []int

	// Instructions has all that kernels may use, by opcode.
	Instructions map[string]*Kind
	// Decode, if set, finishes an instruction that has been looked up, or says why it
	// cannot be assembled.
	Decode func(i *Inst) error
	// Format returns an operand as the assembler reads it.
	Format func(o *Operand) string
	// Syntax, if set, returns an instruction whose operands are formatted as the assembler
	// reads it. Nil: the operands follow the opcode, with commas between them.
	Syntax func(x *Instruction, operands []string) string

	// Reserved returns for each general register why a program may not write it; ""
	// for one that it may. Nil: it may write all.
	Reserved func(p *Program) []string
	// Begin sets the registers that hold a value at entry. Nil: none does.
	Begin func(m *Machine)
	// Return stops the run if the convention is broken at a return, beyond what the
	// rules of this package ask for.
	Return func(m *Machine)

	// FactorBits is how many of the lowest bits of a lane the multiplier reads. See
	// Ranges.
	FactorBits uint
	// Carries are the bits from which carries go up in the kernels' representations:
	// of numbers from before a loop it is known for these whether they were carried.
	Carries []uint

	Slips Slips
}

// A Kind says what an opcode does.
type Kind struct {
	// Run executes an instruction. It reads and writes with the methods of the
	// machine, which hold the rules; secrecy of what it computes is its own to tell:
	// a result is secret if an operand is.
	Run func(m *Machine, i *Inst)
	// Range follows an instruction on vectors for all inputs. Nil: a kernel with the
	// instruction cannot be followed, unless its vectors hold references.
	Range func(r *Ranges, i *Inst)

	Bits        uint // width of an integer instruction's operands
	Least, Most int  // number of operands, without a mask that selects lanes
	Control     Control
	Variable    bool // time may depend on operands: forbidden in constant time
	Hint        bool // does nothing with its memory operand

	// For Ranges.
	Cancels     bool // a register with itself gives 0
	Accumulates bool // the destination is a source
	Repeats     bool // spreads a number in memory over all lanes
	MemoryLanes int  // lanes of a memory operand, if not those of the instruction
}

// Control says where the machine goes after an instruction.
type Control uint8

const (
	Next Control = iota
	Jump
	JumpIf
	Return
)

// Slips are the errors that package mutant plants in a program.
type Slips struct {
	// Nothing is the opcode of an instruction that does nothing, and has no operands.
	Nothing string
	// Others names the opcodes that an instruction's opcode is replaced by: those that
	// a slip of the generator would write, and all that differ in one carry.
	Others func(i *Instruction) []string
	// Negated returns the opcode with the opposite condition, "" if it has none.
	Negated func(opcode string) string
	// Swapped returns which operands of an instruction are its two results, in any
	// order; ok is false if it has one.
	Swapped func(i *Instruction) (a, b int, ok bool)
	// Sources returns which operands of an instruction are its two sources, if their order
	// counts and a slip of the generator would exchange them. Nil: of none.
	Sources func(i *Instruction) (a, b int, ok bool)
	// Neighbour returns the register after an operand, ok is false if it has none.
	Neighbour func(o Operand) (next Operand, ok bool)
}

// Opcodes returns the names of all instructions of the table, in order.
func (a *Architecture) Opcodes() []string { return slices.Sorted(maps.Keys(a.Instructions)) }

// Text returns an instruction as the assembler reads it.
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

// decode looks an instruction up.
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
