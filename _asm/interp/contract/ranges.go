package contract

import (
	"cmp"
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// LaneBounds are the ranges that the arguments of a lane kernel have: limbs 0 … 3
// of every element below 2^Low, 2^52 if that is 0, limb 4 below 2^Top. Results that
// are elements must have the same.
type LaneBounds struct {
	Low, Top uint
	// Numbers has the largest value of arguments that are broadcast.
	Numbers map[string]uint64
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
	limb := func(word int) interp.Range {
		if word/Lanes%5 == 4 {
			return interp.Below(bounds.Top)
		}
		return interp.Below(cmp.Or(bounds.Low, 52))
	}
	ranges, stop := x.machine.Follow()
	defer stop()
	for _, b := range c.Buffers {
		for w := 0; w < len(b.In); w += Lanes {
			ranges.Hold(x.regions[b.Param].Address()+uint64(8*w), limb(w))
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
		for w := 0; b.Out && w < b.Words; w += Lanes {
			s, clean := ranges.At(x.regions[b.Param].Address() + uint64(8*w))
			if !clean || !s.Within(limb(w)) {
				return nil, fmt.Errorf("limb %d of element %d of %s is in %v, clean: %v", w/Lanes%5, w/ElementWords, b.Param, s, clean)
			}
		}
	}
	return ranges, nil
}
