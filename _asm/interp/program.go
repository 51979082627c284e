package interp

import (
	"fmt"
	"slices"
)

// An OperandKind says whether an operand is a register, an immediate, a memory operand or a label.
type OperandKind uint8

const (
	General OperandKind = iota // a general register
	Vec                        // a vector register
	Mask                       // a mask register
	Immediate
	Memory
	Label
)

// These are the bases that memory operands may have other than general registers.
const (
	Frame     = -1 - iota
	Arguments // the argument area, including results
	Static    // read-only data
)

// An Operand is a register, an immediate, a memory operand or a label.
type Operand struct {
	Kind  OperandKind
	Index int  // number of the register
	At    uint // first byte of the register that is used
	Bits  uint // width of the register or of the immediate

	Imm    uint64 // value of the immediate, sign-extended
	Signed bool   // the immediate is written with a sign

	Base     int // base of a memory operand: a general register, or one of the bases above
	IndexReg int // general register that is multiplied by Scale and added to the address, or -1
	Scale    uint64
	Disp     int64
	Data     int    // index of the datum in the program's read-only data
	Name     string // name of the argument or of the datum

	Label string
	Text  string // the operand in the assembler's syntax
}

// Same reports whether o and p are the same part of the same register.
func (o *Operand) Same(p *Operand) bool {
	return o.Kind == p.Kind && o.Kind <= Mask && o.Index == p.Index && o.At == p.At && o.Bits == p.Bits
}

// An Instruction is one instruction before decoding, as a generator wrote it.
type Instruction struct {
	Opcode   string
	Suffixes []string
	Operands []Operand
}

// Clone returns a copy of x that does not share its operands.
func (x *Instruction) Clone() Instruction {
	n := *x
	n.Operands = slices.Clone(x.Operands)
	return n
}

// An Inst is an instruction after decoding.
type Inst struct {
	Instruction
	Kind   *Kind
	Op     []Operand // operands, without the mask that selects lanes
	Bits   uint      // width of an integer instruction
	Target int       // index of a jump's target; -1: none
	Text   string

	// The method Decode of the Architecture sets the following fields.
	Lanes     int  // number of 64-bit lanes of a vector instruction
	Selection int  // mask register that selects lanes; 0: none
	Zeroing   bool // lanes that are not selected become 0
	Broadcast bool // the memory operand is one number, which is broadcast to all lanes

	run func(m *Machine, i *Inst) // the field Run of the instruction's Kind
}

// A Datum is read-only data of a program.
type Datum struct {
	Name  string
	Bytes []byte
}

// A Span is a range of bytes of the argument area: from From up to, but not including, To.
type Span struct{ From, To int }

// A Program is a function that a Machine can run.
type Program struct {
	Name string
	Arch *Architecture
	Data []Datum

	FrameBytes    int
	ArgumentBytes int
	Results       []Span
	// Locate returns the offset, in the argument area, of the parameter or result with the given
	// name. For a slice it returns the offset of the pointer; the name with ".len" appended gives
	// the offset of the length.
	Locate func(name string) (offset int, ok bool)
	// SavesFrame says that the assembler saves the frame pointer before the body of the function
	// and restores it afterwards.
	SavesFrame bool

	code     []*Inst
	labels   map[string]int
	reserved []string // by general register: the reason why it may not be written, or ""
}

// Compile decodes list as the program's instructions. labels maps each label to the index of the
// instruction after it.
func (p *Program) Compile(list []Instruction, labels map[string]int) error {
	p.code, p.labels = make([]*Inst, len(list)), labels
	p.reserved = make([]string, len(p.Arch.Registers))
	if p.Arch.Reserved != nil {
		p.reserved = p.Arch.Reserved(p)
	}
	for k, x := range list {
		if err := p.set(k, x); err != nil {
			return fmt.Errorf("interp: %s: instruction %d, %s: %w", p.Name, k, p.Arch.Text(&x), err)
		}
	}
	return nil
}

func (p *Program) set(k int, x Instruction) error {
	i, err := p.Arch.decode(x)
	if err != nil {
		return err
	}
	for at := range i.Op {
		if o := &i.Op[at]; o.Kind == Label {
			if target, ok := p.labels[o.Label]; ok {
				i.Target = target
			}
		}
	}
	p.code[k] = &i
	return nil
}

// Replace returns a copy of the program in which x is the k-th instruction. It returns an error if
// x cannot be assembled.
func (p *Program) Replace(k int, x Instruction) (*Program, error) {
	q := *p
	q.code = slices.Clone(p.code)
	if err := q.set(k, x); err != nil {
		return nil, err
	}
	return &q, nil
}

// Len returns the number of instructions.
func (p *Program) Len() int { return len(p.code) }

// Instruction returns the k-th instruction. Its operands belong to the program.
func (p *Program) Instruction(k int) *Inst { return p.code[k] }

// Offset returns the offset, in the argument area, of the parameter or result with the given name.
func (p *Program) Offset(name string) (int, error) {
	if at, ok := p.Locate(name); ok {
		return at, nil
	}
	return 0, fmt.Errorf("interp: %s has no argument %s", p.Name, name)
}

func (p *Program) isResult(at, n int) bool {
	for _, r := range p.Results {
		if at >= r.From && at+n <= r.To {
			return true
		}
	}
	return false
}
