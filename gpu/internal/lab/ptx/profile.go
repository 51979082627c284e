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
	Instructions [numClasses]uint64 // of all work items
	// Issued is what a GPU issues for that, times 32: work items run in warps of 32, and an
	// instruction that some of a warp carry out takes as long as if all did. Work items that
	// part are taken to meet again at once, so it is the least that a GPU can do.
	Issued [numClasses]uint64
	// Bytes that were loaded and stored, by an atomic operation once.
	Global, Shared, Local uint64
}

// Total returns the number of all instructions that work items have carried out.
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

// warp is the number of work items that a GPU runs together.
const warp = 32

// A profile counts what a launch carries out. The nil profile counts nothing.
type profile struct {
	counts *Counts
	marks  [][]marks // by work item of the group, and by function
}

// Marks count how often the instructions of a function are carried out: instruction i as often
// as the sum of the marks up to i. Without any, nothing is counted.
type marks []int32

// newProfile returns a profile for groups of so many work items that counts for c, which may be
// nil.
func newProfile(m *Module, items uint32, c *Counts) *profile {
	if c == nil {
		return nil
	}
	p := &profile{c, make([][]marks, items)}
	for i := range p.marks {
		p.marks[i] = make([]marks, len(m.functions))
	}
	return p
}

// of returns the marks of a work item in a function.
func (p *profile) of(item int32, fn *function) marks {
	if p == nil {
		return nil
	}
	m := &p.marks[item][fn.index]
	if *m == nil {
		*m = make(marks, len(fn.code)+1)
	}
	return *m
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

// close adds what the work items of a group have carried out, and forgets it.
func (p *profile) close(m *Module) {
	if p == nil {
		return
	}
	for _, fn := range m.functions {
		for first := 0; first < len(p.marks); first += warp {
			p.closeWarp(fn, p.marks[first:min(first+warp, len(p.marks))])
		}
	}
	p.counts.Instructions[Other], p.counts.Issued[Other] = 0, 0
}

// closeWarp is close for the work items of a warp in one function.
func (p *profile) closeWarp(fn *function, items [][]marks) {
	var times [warp]int32
	for i, class := range fn.classes {
		most := int32(0)
		for j := range items {
			if m := items[j][fn.index]; m != nil {
				times[j] += m[i]
				p.counts.Instructions[class] += uint64(times[j])
				most = max(most, times[j])
			}
		}
		p.counts.Issued[class] += warp * uint64(most)
	}
	for j := range items {
		clear(items[j][fn.index])
	}
}
