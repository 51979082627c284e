package interp

import (
	"fmt"
	"slices"
)

// An OperandKind tells operands apart.
type OperandKind uint8

const (
	General OperandKind = iota // a general register
	Vec                        // a vector register
	Mask                       // a mask register
	Immediate
	Memory
	Label
)

// Bases of memory operands that are no general registers.
const (
	Frame     = -1 - iota
	Arguments // of the function, and its results
	Static    // read-only data
)

// An Operand is a register, a number, a place in memory or a label.
type Operand struct {
	Kind  OperandKind
	Index int  // of the register
	At    uint // first byte in the register
	Bits  uint // of the register, or of the immediate

	Imm    uint64 // the number, with the sign extended
	Signed bool   // it is written with a sign

	Base     int // of memory: a general register, or one of the bases above
	IndexReg int // the general register that is added Scale times; -1: none
	Scale    uint64
	Disp     int64
	Data     int    // which of the program's read-only data
	Name     string // of the argument or the data

	Label string
	Text  string // as the assembler reads it
}

// Same returns whether both operands are the same part of the same register.
func (o *Operand) Same(p *Operand) bool {
	return o.Kind == p.Kind && o.Kind <= Mask && o.Index == p.Index && o.At == p.At && o.Bits == p.Bits
}

// An Instruction is what a generator wrote.
type Instruction struct {
	Opcode   string
	Suffixes []string
	Operands []Operand
}

// Clone returns a copy that shares no operands.
func (x *Instruction) Clone() Instruction {
	n := *x
	n.Operands = slices.Clone(x.Operands)
	return n
}

// An Inst is a decoded instruction.
type Inst struct {
	Instruction
	Kind   *Kind
	Op     []Operand // those of the instruction, less a mask that selects lanes
	Bits   uint      // width of an integer instruction
	Target int       // of a jump; -1: none
	Text   string

	// The table's Decode sets these.
	Lanes     int  // of 64 bits, that an instruction on vectors has
	Selection int  // mask register that selects lanes; 0: none
	Zeroing   bool // lanes that are not selected become 0
	Spread    bool // the memory operand is one number, for all lanes

	run func(m *Machine, i *Inst) // of Kind
}

// A Datum is read-only data that a program refers to.
type Datum struct {
	Name  string
	Bytes []byte
}

// A Span is a part of the argument area, in bytes.
type Span struct{ From, To int }

// A Program is a function for a Machine.
type Program struct {
	Name string
	Arch *Architecture
	Data []Datum

	FrameBytes    int
	ArgumentBytes int
	Results       []Span
	// Locate returns the place of an argument or a result in the argument area. A slice is
	// its base; name.len is its length.
	Locate func(name string) (at int, ok bool)
	// SavesFrame: the assembler saves and restores the frame pointer around the body.
	SavesFrame bool

	code     []*Inst
	labels   map[string]int
	reserved []string // by general register: why it may not be written
}

// Compile sets the program's instructions. labels are the places of labels.
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

// Replace returns a copy of the program whose k-th instruction is another, or an error
// if that cannot be assembled.
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

// Instruction returns the k-th instruction. Its operands are the program's.
func (p *Program) Instruction(k int) *Inst { return p.code[k] }

// Offset returns the place of a parameter or a result in the argument area.
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
