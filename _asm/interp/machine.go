package interp

import "fmt"

// A register is one of the 16 general registers. Of every byte it is known
// whether it has been written and whether its value is secret.
type register struct {
	v       uint64
	defined uint8 // bit i: byte i holds a value
	secret  uint8 // bit i: byte i depends on secrets
}

// A vector is a 512-bit register, known to the machine in lanes of 64 bits.
type vector struct {
	v       [8]uint64
	defined uint8 // bit i: lane i holds a value
	secret  uint8 // bit i: lane i depends on secrets
}

// A mask is a mask register of AVX-512, or a flag with v 0 or 1.
type mask struct {
	v               uint64
	defined, secret bool
}

// Flags, as indices of Machine.flag.
const (
	carry = iota
	parity
	zero
	sign
	overflow
	flags
)

var flagNames = [flags]string{"CF", "PF", "ZF", "SF", "OF"}

const (
	rsp = 4
	rbp = 5
	r15 = 15
)

// entryBP is what BP holds when a kernel is called: the caller's frame pointer,
// which the kernel must hand back.
const entryBP = 0x00c0_dead_beef_0008

// maxSteps bounds a run, so that a loop that never ends is an error too.
const maxSteps = 1 << 22

// A Machine runs one function. Its registers and its frame hold nothing when a
// run begins.
type Machine struct {
	// ConstantTime makes it an error to jump on a secret, to compute an address
	// from one, and to run an instruction whose time may depend on its operands.
	ConstantTime bool
	// Clears, if it is not nil, has registers full of secrets when a run begins,
	// and makes it an error to leave one there.
	Clears *Registers

	prog    *Program
	reg     [16]register
	vec     [32]vector
	opmask  [8]mask
	flag    [flags]mask
	regions []*Region
	args    *Region
	frame   *Region
	statics []*Region // of prog.globals, in order
	next    uint64    // address of the next region
	pc      int
	dirty   bool // the upper halves of vector registers are in use
	halted  bool
	covered []bool // by instruction: ran at least once on this machine

	Steps      int      // instructions of the last run
	Prefetched []uint64 // addresses of its prefetches

	watch func(i *inst) // sees every instruction before it runs
}

// Registers are all general registers but SP and BP, and the low lanes of 64 bits
// of the first vector registers.
type Registers struct{ Vectors, Lanes int }

// fill puts a secret into every register of m.Clears.
func (m *Machine) fill() {
	for k := range m.reg {
		if k != rsp && k != rbp {
			m.reg[k] = register{v: 0x5ec2_e700_0000_0001 * uint64(k+1), defined: 0xff, secret: 0xff}
		}
	}
	for k := range m.Clears.Vectors {
		v := &m.vec[k]
		for lane := range m.Clears.Lanes {
			v.v[lane] = 0x5ec2_e7ff_0000_0001 * uint64(8*k+lane+1)
			v.defined |= 1 << lane
			v.secret |= 1 << lane
		}
	}
}

// cleared stops the run if a register of m.Clears is not zero.
func (m *Machine) cleared() {
	for k, r := range m.reg {
		if k != rsp && k != rbp && (r.v != 0 || r.secret != 0) {
			m.fault("does not clear register %s", gprNames[k])
		}
	}
	for k := range m.Clears.Vectors {
		for lane := range m.Clears.Lanes {
			if v := &m.vec[k]; v.v[lane] != 0 || v.secret>>lane&1 != 0 {
				m.fault("does not clear lane %d of vector register %d", lane, k)
			}
		}
	}
}

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

// fault stops the run. Run recovers what it throws.
func (m *Machine) fault(format string, args ...any) {
	f := &Fault{Function: m.prog.Name, Index: m.pc, Reason: fmt.Sprintf(format, args...)}
	if m.pc < len(m.prog.code) {
		f.Instruction = m.prog.code[m.pc].text
	}
	panic(f)
}

// NewMachine returns a machine for the function, with its read-only data and
// its arguments in place.
func (p *Program) NewMachine() *Machine {
	m := &Machine{prog: p, next: 0x7f00_0000_0000, covered: make([]bool, len(p.code))}
	m.frame = m.NewRegion("frame", p.frameBytes, Read|Write)
	m.args = m.NewRegion("arguments", p.argBytes, Read)
	for _, g := range p.globals {
		r := m.NewRegion(g.name, len(g.data), Read)
		copy(r.data, g.data)
		for i := range r.state {
			r.state[i] = defined
		}
		m.statics = append(m.statics, r)
	}
	return m
}

// Run runs the function from its first instruction to its return, and returns
// the *Fault that stopped it, if one did. Memory other than the frame and the
// results keeps what it held before.
func (m *Machine) Run() (err error) {
	m.reg, m.vec, m.opmask, m.flag = [16]register{}, [32]vector{}, [8]mask{}, [flags]mask{}
	m.reg[rsp] = register{v: m.frame.base, defined: 0xff}
	m.reg[rbp] = register{v: entryBP, defined: 0xff}
	if m.Clears != nil {
		m.fill()
	}
	m.pc, m.Steps, m.dirty, m.halted = 0, 0, false, false
	m.Prefetched = nil
	clear(m.frame.state)
	for _, r := range m.prog.results {
		clear(m.args.state[r.from:r.to])
	}
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
			m.fault("ran past the end of the function")
		}
		if m.Steps++; m.Steps > maxSteps {
			m.fault("no return after %d instructions", maxSteps)
		}
		i := &code[m.pc]
		m.covered[m.pc] = true
		if m.ConstantTime && !i.constantTime {
			m.fault("not an instruction of constant time")
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

// Uncovered returns the instructions that no run on this machine has reached.
func (m *Machine) Uncovered() []string {
	var out []string
	for i, ok := range m.covered {
		if !ok {
			out = append(out, fmt.Sprintf("instruction %d, %s", i, m.prog.code[i].text))
		}
	}
	return out
}

// ret checks what a callee owes its caller, and stops the machine.
func ret(m *Machine, i *inst) {
	if m.dirty {
		m.fault("the upper halves of vector registers are in use: no VZEROUPPER")
	}
	if sp := m.reg[rsp]; sp.v != m.frame.base {
		m.fault("the stack pointer has moved by %d", int64(sp.v-m.frame.base))
	}
	// With a frame the assembler saves and restores the frame pointer itself.
	if bp := m.reg[rbp]; !m.prog.savesBP && (bp.v != entryBP || bp.defined != 0xff) {
		m.fault("the frame pointer is lost")
	}
	if m.Clears != nil {
		m.cleared()
	}
	for k, v := range m.vec {
		if m.ConstantTime && v.secret != 0 {
			m.fault("leaves a secret in vector register %d", k)
		}
	}
	for _, r := range m.prog.results {
		for k := r.from; k < r.to; k++ {
			if m.args.state[k]&defined == 0 {
				m.fault("result byte %d of the arguments is not set", k)
			}
		}
	}
	m.halted = true
}

// A word is an operand's value and whether it depends on secrets.
type word struct {
	v      uint64
	secret bool
}

// widthMask returns the mask of a value of so many bits.
func widthMask(bits uint) uint64 {
	if bits == 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// readReg returns so many bits of a general register, from byte at.
func (m *Machine) readReg(index int, at, bits uint) word {
	r := &m.reg[index]
	bytes := uint8(1<<(bits/8)-1) << at
	if bits == 64 {
		bytes = 0xff
	}
	if r.defined&bytes != bytes {
		m.fault("reads register %s, which holds no value", gprNames[index])
	}
	return word{r.v >> (8 * at) & widthMask(bits), r.secret&bytes != 0}
}

// writeReg sets so many bits of a general register. Like the CPU, it clears the
// upper half if there are 32.
func (m *Machine) writeReg(index int, at, bits uint, w word) {
	if index == rsp {
		m.fault("writes the stack pointer")
	}
	if index == rbp && !m.prog.savesBP {
		m.fault("writes the frame pointer in a function that does not save it")
	}
	r := &m.reg[index]
	switch bits {
	case 64, 32:
		*r = register{v: w.v & widthMask(bits), defined: 0xff}
		if w.secret {
			r.secret = 0xff
		}
	default:
		bytes := uint8(1<<(bits/8)-1) << at
		r.v = r.v&^(widthMask(bits)<<(8*at)) | w.v&widthMask(bits)<<(8*at)
		r.defined |= bytes
		r.secret &^= bytes
		if w.secret {
			r.secret |= bytes
		}
	}
}

// get returns the value of an operand of the instruction's width.
func (m *Machine) get(i *inst, o *operandOf) word { return m.getBits(o, i.bits) }

func (m *Machine) getBits(o *operandOf, bits uint) word {
	switch o.kind {
	case isReg:
		return m.readReg(o.index, o.at, bits)
	case isImm:
		return word{v: o.imm & widthMask(bits)}
	case isMem:
		return m.load(m.address(o), bits)
	}
	m.fault("operand %s cannot be read here", o.text)
	return word{}
}

// set writes the instruction's result to an operand of its width.
func (m *Machine) set(i *inst, o *operandOf, w word) { m.setBits(o, i.bits, w) }

func (m *Machine) setBits(o *operandOf, bits uint, w word) {
	switch o.kind {
	case isReg:
		m.writeReg(o.index, o.at, bits, w)
	case isMem:
		m.store(m.address(o), bits, w)
	default:
		m.fault("operand %s cannot be written", o.text)
	}
}

// getFlag returns a flag that the kernel reads.
func (m *Machine) getFlag(f int) word {
	x := &m.flag[f]
	if !x.defined {
		m.fault("reads %s, which is undefined here", flagNames[f])
	}
	return word{x.v, x.secret}
}

func (m *Machine) setFlag(f int, v bool, secret bool) {
	x := &m.flag[f]
	x.v, x.defined, x.secret = 0, true, secret
	if v {
		x.v = 1
	}
}

func (m *Machine) forget(fs ...int) {
	for _, f := range fs {
		m.flag[f] = mask{}
	}
}

// A condition is a test of flags: set if all or one of them agree.
type condition struct {
	flags  []int
	test   func(v [3]bool) bool
	negate bool
}

// holds evaluates a condition.
func (m *Machine) holds(c *condition) (bool, bool) {
	var v [3]bool
	secret := false
	for k, f := range c.flags {
		w := m.getFlag(f)
		v[k] = w.v == 1
		secret = secret || w.secret
	}
	return c.test(v) != c.negate, secret
}

// jump goes to the target of a jump that is taken.
func jump(m *Machine, i *inst) {
	if i.target < 0 {
		m.fault("no such label")
	}
	if i.target == m.pc {
		m.fault("jumps to itself")
	}
	m.pc = i.target
}

func jumpIf(m *Machine, i *inst) {
	taken, secret := m.holds(i.cond)
	if secret && m.ConstantTime {
		m.fault("jumps on a secret")
	}
	if taken {
		jump(m, i)
	}
}

var gprNames = [16]string{"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

// Become makes the machine run another variant of its function, which shares
// its arguments, frame and data.
func (m *Machine) Become(p *Program) { m.prog = p }
