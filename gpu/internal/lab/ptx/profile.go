package ptx

import (
	"slices"
	"strings"
)

// A Class is a class of instructions that cost about the same on a GPU.
type Class uint8

// The classes. An instruction on a vector is counted once.
const (
	Other     Class = iota // labels and internal instructions of the interpreter
	MulLow                 // low 32 bits of a product, with or without an addition
	MulHigh                // high 32 bits of a product
	MulWide                // all 64 bits of a product of 32-bit numbers
	Mul64                  // products of 64 bits
	Integer                // all other computations on 32 bits or fewer
	Integer64              // all other computations on 64 bits
	Move                   // moves, conversions and parameters, most of which are free
	Branch                 // jumps, calls and returns
	Barrier                // barriers
	Load                   // loads other than of parameters
	Store                  // stores other than of parameters
	Atomic                 // atomic operations
	numClasses
)

// Counts are the numbers of instructions that work items have executed.
type Counts struct {
	Instructions [numClasses]uint64 // sum over all work items
	// Issued is 32 times the number of instructions that a GPU issues for the work items. Work
	// items run in warps of 32, and an instruction that some items of a warp execute takes as long
	// as if all did. The number is a lower bound: it assumes that diverging work items converge
	// again as soon as possible.
	Issued [numClasses]uint64
	// Numbers of bytes loaded and stored in each space. Bytes of an atomic operation count once.
	Global, Shared, Local uint64
}

// Total returns the number of instructions that work items have executed.
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
	case "bra", "call", "ret":
		return Branch
	case "bar":
		return Barrier
	case "ld", "st":
		switch {
		case len(parts) > 1 && parts[1] == "param":
			return Move
		case parts[0] == "st":
			return Store
		}
		return Load
	case "atom":
		return Atomic
	}
	if long {
		return Integer64
	}
	return Integer
}

// warp is the number of work items that a GPU runs in lockstep.
const warp = 32

// A profile counts the instructions of a launch. A nil profile counts nothing.
type profile struct {
	counts *Counts
	// times has, for each work item of the group and each function, how often each instruction is
	// executed, or nil.
	times [][][]uint64
}

// newProfile returns a profile for groups with the given number of work items. Its counts are added
// to c. It returns nil if c is nil.
func newProfile(m *Module, items uint32, c *Counts) *profile {
	if c == nil {
		return nil
	}
	p := &profile{c, make([][][]uint64, items)}
	for i := range p.times {
		p.times[i] = make([][]uint64, len(m.functions))
	}
	return p
}

// of returns the elements of times for a work item and a function, or nil if nothing is counted.
func (p *profile) of(item int32, fn *function) []uint64 {
	if p == nil {
		return nil
	}
	times := &p.times[item][fn.index]
	if *times == nil {
		*times = make([]uint64, len(fn.code))
	}
	return *times
}

// access counts an access to n bytes of a space.
func (p *profile) access(s space, n uint64) {
	if p == nil {
		return
	}
	switch s {
	case spaceShared:
		p.counts.Shared += n
	case spaceLocal:
		p.counts.Local += n
	case spaceGlobal:
		p.counts.Global += n
	}
}

// close adds the times of all work items of the group to the counts, and clears them.
func (p *profile) close(m *Module) {
	if p == nil {
		return
	}
	for items := range slices.Chunk(p.times, warp) {
		for _, fn := range m.functions {
			for i, class := range fn.classes {
				most := uint64(0)
				for _, times := range items {
					if executed := times[fn.index]; executed != nil {
						p.counts.Instructions[class] += executed[i]
						most = max(most, executed[i])
					}
				}
				p.counts.Issued[class] += warp * most
			}
			for _, times := range items {
				clear(times[fn.index])
			}
		}
	}
	p.counts.Instructions[Other], p.counts.Issued[Other] = 0, 0
}
