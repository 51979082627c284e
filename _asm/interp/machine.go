package interp

import "fmt"

// A Register is a general register. Of every byte it is known whether it has been
// written and whether its value is secret.
type Register struct {
	V       uint64
	Defined uint8 // bit i: byte i holds a value
	Secret  uint8 // bit i: byte i depends on secrets
}

// A Vector is a vector register, known to the machine in lanes of 64 bits.
type Vector struct {
	V       [8]uint64
	Defined uint8 // bit i: lane i holds a value
	Secret  uint8 // bit i: lane i depends on secrets
}

// Bits are a mask register, or a flag with V 0 or 1.
type Bits struct {
	V               uint64
	Defined, Secret bool
}

// A Word is an operand's value and whether it depends on secrets.
type Word struct {
	V      uint64
	Secret bool
}

// maxSteps bounds a run, so that a loop that never ends is an error too.
const maxSteps = 1 << 22

// A Machine runs one function. Its registers and its frame hold nothing when a
// run begins, but what the calling convention says.
type Machine struct {
	// ConstantTime makes it an error to jump on a secret, to compute an address
	// from one, and to run an instruction whose time may depend on its operands.
	ConstantTime bool
	// Clears, if it is not nil, has registers full of secrets when a run begins,
	// and makes it an error to leave one there.
	Clears *Registers

	// The registers, for instructions of the table to read and write where no method
	// of the machine does.
	Reg  []Register
	Vec  []Vector
	Mask []Bits
	Flag []Bits

	prog    *Program
	regions []*Region
	args    *Region
	frame   *Region
	statics []*Region // of prog.Data, in order
	next    uint64    // address of the next region
	pc      int
	halted  bool
	covered []bool // by instruction: ran at least once on this machine

	Steps      int      // instructions of the last run
	Prefetched []uint64 // addresses of its prefetches

	watch func(i *Inst) // sees every instruction before it runs
}

// Registers are all general registers but those of Architecture.Kept, and the low
// lanes of 64 bits of the first vector registers.
type Registers struct{ Vectors, Lanes int }

// A Fault is a rule that a kernel broke, at an instruction.
type Fault struct {
	Function    string
	Index       int // of the instruction in the function, from 0
	Instruction string
	Reason      string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: instruction %d, %s: %s", f.Function, f.Index, f.Instruction, f.Reason)
}

// Fault stops the run. Run recovers what it throws.
func (m *Machine) Fault(format string, args ...any) {
	f := &Fault{Function: m.prog.Name, Index: m.pc, Reason: fmt.Sprintf(format, args...)}
	if m.pc < len(m.prog.code) {
		f.Instruction = m.prog.code[m.pc].Text
	}
	panic(f)
}

// NewMachine returns a machine for the function, with its read-only data and
// its arguments in place.
func (p *Program) NewMachine() *Machine {
	a := p.Arch
	m := &Machine{
		Reg: make([]Register, len(a.Registers)), Vec: make([]Vector, a.Vectors),
		Mask: make([]Bits, a.Masks), Flag: make([]Bits, len(a.Flags)),
		prog: p, next: 0x7f00_0000_0000, covered: make([]bool, len(p.code)),
	}
	m.frame = m.NewRegion("frame", p.FrameBytes, Read|Write)
	m.args = m.NewRegion("arguments", p.ArgumentBytes, Read)
	for _, d := range p.Data {
		r := m.NewRegion(d.Name, len(d.Bytes), Read)
		r.Fill(0, d.Bytes, false)
		m.statics = append(m.statics, r)
	}
	return m
}

// Become makes the machine run another variant of its function, which shares
// its arguments, frame and data.
func (m *Machine) Become(p *Program) { m.prog = p }

// Program returns what the machine runs.
func (m *Machine) Program() *Program { return m.prog }

// Run runs the function from its first instruction to its return, and returns
// the *Fault that stopped it, if one did. Memory other than the frame and the
// results keeps what it held before.
func (m *Machine) Run() (err error) {
	m.begin()
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(*Fault)
			if !ok {
				panic(r)
			}
			err = f
		}
	}()
	code := m.prog.code
	for !m.halted {
		if m.pc >= len(code) {
			m.Fault("ran past the end of the function")
		}
		if m.Steps++; m.Steps > maxSteps {
			m.Fault("no return after %d instructions", maxSteps)
		}
		i := code[m.pc]
		m.covered[m.pc] = true
		if m.ConstantTime && i.Kind.Variable {
			m.Fault("not an instruction of constant time")
		}
		if m.watch != nil {
			m.watch(i)
		}
		here := m.pc
		i.run(m, i)
		if m.pc == here {
			m.pc++
		}
	}
	return nil
}

// begin puts the registers, the frame and the results into the state of a call.
func (m *Machine) begin() {
	clear(m.Reg)
	clear(m.Vec)
	clear(m.Mask)
	clear(m.Flag)
	if m.Clears != nil {
		m.fill()
	}
	if begin := m.prog.Arch.Begin; begin != nil {
		begin(m)
	}
	m.pc, m.Steps, m.halted = 0, 0, false
	m.Prefetched = nil
	clear(m.frame.state)
	for _, r := range m.prog.Results {
		clear(m.args.state[r.From:r.To])
	}
}

// Execute runs one instruction of the program on the registers as they are, for tests
// of a table.
func (m *Machine) Execute(k int) {
	i := m.prog.code[k]
	i.run(m, i)
}

// FrameAddress returns the first address of the frame.
func (m *Machine) FrameAddress() uint64 { return m.frame.base }

// Uncovered returns the instructions that no run on this machine has reached.
func (m *Machine) Uncovered() []string {
	var out []string
	for i, ok := range m.covered {
		if !ok {
			out = append(out, fmt.Sprintf("instruction %d, %s", i, m.prog.code[i].Text))
		}
	}
	return out
}

// SecretsInFrame returns how many bytes of the frame depended on secrets when the
// last run ended.
func (m *Machine) SecretsInFrame() (n int) {
	for _, s := range m.frame.state {
		if s&secret != 0 {
			n++
		}
	}
	return n
}
