package ptx

import "strings"

// A Class is a sort of instructions that cost about the same on a GPU.
type Class uint8

// The classes. What a guard keeps from being carried out is counted nevertheless, because a
// GPU issues it, and an instruction on a vector counts once.
const (
	Other     Class = iota // none: labels, and what the interpreter has of its own
	MulLow                 // the low 32 bits of a product, or these and a sum
	MulHigh                // the high ones
	MulWide                // both
	Mul64                  // products of 64 bits
	Integer                // everything else that computes, on 32 bits and fewer
	Integer64              // and on 64
	Move                   // moves, conversions and parameters, most of which cost nothing
	Branch                 // jumps, calls and returns
	Barrier                // barriers and fences
	Load                   // of memory other than parameters
	Store                  // also
	Atomic                 // also
	numClasses
)

// Counts say what work items have carried out.
type Counts struct {
	Instructions [numClasses]uint64
	// Bytes that were loaded and stored, by an atomic operation once.
	Global, Shared, Local uint64
}

// Total returns the number of all instructions.
func (c *Counts) Total() (n uint64) {
	for _, v := range c.Instructions {
		n += v
	}
	return n
}

// classOf returns the class of an opcode.
func classOf(opcode string) Class {
	parts := strings.Split(opcode, ".")
	long := strings.HasSuffix(opcode, "64")
	switch parts[0] {
	case "":
		return Other
	case "mul", "mad", "madc":
		switch {
		case long:
			return Mul64
		case strings.Contains(opcode, ".wide."):
			return MulWide
		case strings.Contains(opcode, ".hi."):
			return MulHigh
		}
		return MulLow
	case "mov", "cvt", "cvta":
		return Move
	case "bra", "call", "ret", "exit", "trap":
		return Branch
	case "bar", "barrier", "membar", "fence":
		return Barrier
	case "ld", "ldu", "st":
		switch {
		case len(parts) > 1 && parts[1] == "param":
			return Move
		case parts[0] == "st":
			return Store
		}
		return Load
	case "atom", "red":
		return Atomic
	}
	if long {
		return Integer64
	}
	return Integer
}

// A profile counts what a launch carries out. The nil profile counts nothing.
type profile struct {
	counts *Counts
	marks  []marks // by function
}

// Marks count how often the instructions of a function are carried out: instruction i as often
// as the sum of the marks up to i. Without any, nothing is counted.
type marks []int64

// newProfile returns a profile that counts for c, which may be nil.
func newProfile(m *Module, c *Counts) *profile {
	if c == nil {
		return nil
	}
	p := &profile{c, make([]marks, len(m.functions))}
	for _, fn := range m.functions {
		p.marks[fn.index] = make(marks, len(fn.code)+1)
	}
	return p
}

// of returns the marks of a function.
func (p *profile) of(fn *function) marks {
	if p == nil {
		return nil
	}
	return p.marks[fn.index]
}

// add counts the instructions from from to to − 1.
func (m marks) add(from, to int) {
	if m != nil {
		m[from]++
		m[to]--
	}
}

// access counts n bytes of a space.
func (p *profile) access(s space, n uint64) {
	if p == nil {
		return
	}
	switch s {
	case spaceShared:
		p.counts.Shared += n
	case spaceLocal:
		p.counts.Local += n
	case spaceGlobal, spaceConst:
		p.counts.Global += n
	}
}

// close adds what was counted of instructions.
func (p *profile) close(m *Module) {
	if p == nil {
		return
	}
	for _, fn := range m.functions {
		times := int64(0)
		for i, class := range fn.classes {
			times += p.marks[fn.index][i]
			p.counts.Instructions[class] += uint64(times)
		}
	}
	p.counts.Instructions[Other] = 0
}
