package contract

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// LaneBounds holds the ranges of a lane kernel's arguments. Limbs 0 to 3 of every element are below
// 2^Low, or below 2^52 if Low is 0. Limb 4 is below 2^Top. Result elements must be in the same
// ranges.
type LaneBounds struct {
	Low, Top uint
	// Numbers has, by name, the largest value of each numeric argument that the kernel broadcasts
	// to all lanes.
	Numbers map[string]uint64
	// Memory describes, by name, the pointer arguments whose contents have other ranges.
	Memory map[string]Memory
	// Below, if not nil, is an upper bound: every result element must be less than Below.
	Below *big.Int
	// Trace, if set, is called for every instruction that writes a vector. s is the vector's range.
	Trace func(i *interp.Inst, s interp.Range)
}

// Apart runs the program p on the arguments of the call c, like Ranges, and follows every lane as a
// number of its own. The words of each buffer are limbs of numbers that lie side by side: limb i of
// all numbers, then limb i + 1. Limb 4 is below 2^top.
func (r *Runner) Apart(p *interp.Program, c *Call, top uint) (*interp.Ranges, error) {
	x, err := r.instance(c)
	if err != nil {
		return nil, err
	}
	if err := r.load(x, p, c); err != nil {
		return nil, err
	}
	limb := func(b *Buffer, k int) interp.Range {
		numbers := map[int]int{10: 1, 20: 4, 40: 8, 80: 8, 640: 8}[b.Words]
		if k/numbers%5 == 4 {
			return interp.Below(top)
		}
		return interp.Below(52)
	}
	ranges, stop := x.machine.Follow()
	defer stop()
	ranges.Apart()
	for _, b := range c.Buffers {
		if b.Out {
			ranges.Results(x.regions[b.Param])
		}
		for k := range b.In {
			ranges.HoldWord(x.regions[b.Param].Address()+uint64(8*k), limb(&b, k))
		}
	}
	if err := x.machine.Run(); err != nil {
		return nil, err
	}
	for _, b := range c.Buffers {
		for k := 0; b.Out && k < b.Words; k++ {
			want := limb(&b, k)
			s, clean := ranges.Word(x.regions[b.Param].Address()+uint64(8*k), want)
			if !clean || s.Lo == nil || !s.Within(want) {
				return nil, fmt.Errorf("word %d of %s is in %v, clean: %v", k, b.Param, s, clean)
			}
		}
	}
	return ranges, nil
}

// Memory describes the memory that a pointer argument of a kernel points to.
type Memory struct {
	Top        uint     // bit length of limb 4 at entry, if it differs from LaneBounds.Top
	Stream     bool     // a loop reads and writes the elements, which are always in range
	First      int      // number of elements that hold a value at entry; 0: all elements do
	Spent      bool     // the elements hold no result when the kernel returns
	References bool     // the memory holds references: numbers from which addresses are computed
	Rows       *big.Int // if set, the memory holds rows of four words, always below this number
	Scratch    int      // number of rows at the end that hold no result
}

// Ranges runs the program p on the arguments of the call c. For all arguments within the bounds, it
// proves the properties that [interp.Ranges] lists.
func (r *Runner) Ranges(p *interp.Program, c *Call, bounds LaneBounds) (*interp.Ranges, error) {
	x, err := r.instance(c)
	if err != nil {
		return nil, err
	}
	if err := r.load(x, p, c); err != nil {
		return nil, err
	}
	limb := func(k int, top uint) interp.Range {
		if k%5 == 4 {
			return interp.Below(top)
		}
		return interp.Below(cmp.Or(bounds.Low, 52))
	}
	ranges, stop := x.machine.Follow()
	defer stop()
	ranges.Trace = bounds.Trace
	for _, b := range c.Buffers {
		region, m := x.regions[b.Param], bounds.Memory[b.Param]
		top := cmp.Or(m.Top, bounds.Top)
		switch {
		case m.References:
			ranges.References(region)
		case m.Rows != nil:
			ranges.Rows(region, m.Rows)
		case m.Stream:
			ranges.Vectors(region, func(k int) interp.Range { return limb(k, top) })
		default:
			if b.Out && !m.Spent {
				ranges.Results(region)
			}
			for k := range len(b.In) / Lanes {
				at := region.Address() + uint64(8*Lanes*k)
				if m.First > 0 && k >= 5*m.First {
					ranges.HoldPoison(at)
					continue
				}
				ranges.Hold(at, limb(k, top))
			}
		}
	}
	for name, most := range bounds.Numbers {
		at, err := r.offset(name)
		if err != nil {
			return nil, err
		}
		ranges.HoldArgument(at, interp.UpTo(most))
	}
	if err := x.machine.Run(); err != nil {
		return nil, err
	}
	for _, b := range c.Buffers {
		start, m := x.regions[b.Param].Address(), bounds.Memory[b.Param]
		switch {
		case !b.Out || m.Stream || m.Spent:
		case m.Rows != nil:
			for w := range b.Words - 8*m.Scratch {
				if ranges.IsPoison(start + uint64(8*w)) {
					return nil, fmt.Errorf("word %d of %s is poison", w, b.Param)
				}
			}
		default:
			for k := range cmp.Or(5*m.First, b.Words/Lanes) {
				s, clean := ranges.At(start+uint64(8*Lanes*k), limb(k, bounds.Top))
				if !clean || !s.Within(limb(k, bounds.Top)) {
					return nil, fmt.Errorf("limb %d of element %d of %s is in %v, clean: %v", k%5, k/5, b.Param, s,
						clean)
				}
			}
			for e := 0; bounds.Below != nil && e < b.Words/ElementWords; e++ {
				if s := ranges.Sum(start+uint64(8*ElementWords*e), 5, 52); s.Hi.Cmp(bounds.Below) >= 0 {
					return nil, fmt.Errorf("element %d of %s is up to %#x", e, b.Param, s.Hi)
				}
			}
		}
	}
	return ranges, nil
}
