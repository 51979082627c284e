package contract

import (
	"cmp"
	"fmt"
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// LaneBounds are the ranges that the arguments of a lane kernel have: limbs 0 … 3
// of every element below 2^Low, 2^52 if that is 0, limb 4 below 2^Top. Results that
// are elements must have the same.
type LaneBounds struct {
	Low, Top uint
	// Numbers has the largest value of arguments that are broadcast.
	Numbers map[string]uint64
	// Memory has the arguments that point to anything else.
	Memory map[string]Memory
	// Below is what all results must be below, if they are elements; nil: anything.
	Below *big.Int
	// Trace, if set, sees every instruction that writes a vector, and its range.
	Trace func(i *interp.Inst, s interp.Range)
}

// Memory says what an argument points to.
type Memory struct {
	Top        uint     // of elements, if it is another one at entry
	Stream     bool     // elements through which a loop goes, so always in range
	First      int      // the number of elements that hold something at entry; 0: all
	Spent      bool     // elements that are scratch when the kernel returns
	References bool     // numbers from which addresses are computed
	Rows       *big.Int // numbers in four words below this, and so when they are stored
	Lost       int      // the number of rows at the end that hold no result
}

// Ranges runs a program on the arguments of one call, with ranges that stand for
// all; see [interp.Ranges].
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
					ranges.HoldNothing(at)
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
			for w := range b.Words - 8*m.Lost {
				if ranges.Lost(start + uint64(8*w)) {
					return nil, fmt.Errorf("word %d of %s depends on nothing", w, b.Param)
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
