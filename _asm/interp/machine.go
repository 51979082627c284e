package interp

import "fmt"

// A Register is a general register. For each of its eight bytes, the machine tracks whether the
// byte has been written and whether it is secret.
type Register struct {
	V       uint64
	Defined uint8 // bit i: byte i holds a value
	Secret  uint8 // bit i: byte i depends on secrets
}

// A Vector is a vector register. The machine tracks secrecy by lanes of 64 bits.
type Vector struct {
	V       [8]uint64
	Defined uint8 // bit i: lane i holds a value
	Secret  uint8 // bit i: lane i depends on secrets
}

// Bits is a mask register, or a flag. V is the mask, or 0 or 1 for a flag.
type Bits struct {
	V               uint64
	Defined, Secret bool
}

// A Word is the value V of an operand, with a flag that says whether the value depends on secrets.
type Word struct {
	V      uint64
	Secret bool
}

// maxSteps limits the number of instructions of a run, so that an endless loop ends with an error.
const maxSteps = 1 << 22

// A Machine runs one function. When a run begins, only the registers that the calling convention
// sets hold values; other registers and the frame hold none.
type Machine struct {
	// ConstantTime makes a run fail at a jump on a secret, at an address that depends on a secret,
	// and at an instruction whose time may depend on its operands.
	ConstantTime bool
	// Clears, if not nil, lists registers that are filled with secrets when a run begins. A return
	// fails if one of them is not zero.
	Clears *Registers

	// These are the registers. They are exported because the functions of some instructions need
	// more than the machine's methods.
	Reg  []Register
	Vec  []Vector
	Mask []Bits
	Flag []Bits

	prog    *Program
	regions []*Region
	args    *Region
	frame   *Region
	statics []*Region // regions that hold prog.Data, in the same order
	next    uint64    // address of the next new region
	pc      int
	halted  bool
	covered []bool // by index of the instruction: whether it ran at least once on this machine

	Steps      int      // number of instructions that the last run executed
	Prefetched []uint64 // addresses that the last run prefetched

	// watch and done, if not nil, are called for every instruction before and after it runs.
	watch, done func(i *Inst)
	// Turn, if not nil, decides whether the conditional jump i is taken. taken reports whether the
	// condition of the jump holds.
	Turn func(i *Inst, taken bool) bool
}

// Registers selects all general registers except Architecture.Kept, and the first Vectors vector
// registers. Of each of these vector registers, it selects the lowest Lanes lanes of 64 bits. If
// Masks is set, it also selects all mask registers.
type Registers struct {
	Vectors, Lanes int
	Masks          bool
}

// A Fault is a violation of a rule by one instruction of a kernel.
type Fault struct {
	Function    string
	Index       int // position of the instruction in the function, from 0
	Instruction string
	Reason      string
}

func (f *Fault) Error() string {
	return fmt.Sprintf("%s: instruction %d, %s: %s", f.Function, f.Index, f.Instruction, f.Reason)
}

// Fault stops the run with an error: it panics, and Run recovers the panic.
func (m *Machine) Fault(format string, args ...any) {
	f := &Fault{Function: m.prog.Name, Index: m.pc, Reason: fmt.Sprintf(format, args...)}
	if m.pc < len(m.prog.code) {
		f.Instruction = m.prog.code[m.pc].Text
	}
	panic(f)
}

// NewMachine returns a machine for the function p. Its memory holds the read-only data and the
// argument area of the function.
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

// Become makes the machine run p instead of its current program. The program p must be a variant of
// the current one with the same arguments, frame and data.
func (m *Machine) Become(p *Program) { m.prog = p }

// Program returns the program that the machine runs.
func (m *Machine) Program() *Program { return m.prog }

// Run runs the function from its first instruction to its return. It returns the *Fault that
// stopped the run, or nil. Run resets the frame and the results; other memory keeps its contents
// from before.
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
		if m.done != nil {
			m.done(i)
		}
		if m.pc == here {
			m.pc++
		}
	}
	return nil
}

// begin sets the registers, the frame and the results to their state at the start of a call.
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

// Watch makes runs call before and after for every instruction, before and after it runs. Either
// may be nil. Addresses may then depend on secrets.
func (m *Machine) Watch(before, after func(i *Inst)) { m.watch, m.done = before, after }

// Execute runs instruction k of the program on the current registers. Tests of instruction tables
// use it.
func (m *Machine) Execute(k int) {
	i := m.prog.code[k]
	i.run(m, i)
}

// FrameAddress returns the lowest address of the frame.
func (m *Machine) FrameAddress() uint64 { return m.frame.base }

// ArgumentAddress returns the lowest address of the argument area.
func (m *Machine) ArgumentAddress() uint64 { return m.args.base }

// Uncovered returns the text of the instructions that no run on this machine has reached.
func (m *Machine) Uncovered() []string {
	var out []string
	for i, ok := range m.covered {
		if !ok {
			out = append(out, fmt.Sprintf("instruction %d, %s", i, m.prog.code[i].Text))
		}
	}
	return out
}

// SecretsInFrame returns the number of bytes of the frame whose values depended on secrets when the
// last run ended.
func (m *Machine) SecretsInFrame() (n int) {
	for _, s := range m.frame.state {
		if s&secret != 0 {
			n++
		}
	}
	return n
}
