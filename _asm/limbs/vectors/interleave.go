package vectors

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
)

// Interleave writes two sequences of instructions, each with half of the
// registers that are free, mixed evenly: a CPU that looks only so far ahead for
// something to do always finds the other sequence. Neither may need what the
// other computes, the flags, or constants that m does not have yet.
func (m *Machine) Interleave(sequence [2]func(m *Machine)) {
	known := len(m.data)
	var lists [2][]*ir.Instruction
	for k := range lists {
		c := build.NewContext()
		c.Function(m.name)
		half := &Machine{Context: c, name: m.name, data: m.data, mask: m.mask, fold: m.fold, lean: true}
		for i, r := range m.free {
			if i%2 == k {
				half.free = append(half.free, r)
			}
		}
		sequence[k](half)
		f, err := c.Result()
		if err != nil || len(m.data) != known {
			panic("vectors: " + m.name + " cannot be interleaved")
		}
		lists[k] = f.Functions()[0].Instructions()
	}
	n0, n1 := len(lists[0]), len(lists[1])
	for i, j := 0, 0; i < n0 || j < n1; {
		if i*n1 <= j*n0 && i < n0 {
			m.Instruction(lists[0][i])
			i++
		} else {
			m.Instruction(lists[1][j])
			j++
		}
	}
}

// Constants makes numbers known, for Interleave.
func (m *Machine) Constants(list ...uint64) {
	for _, v := range list {
		m.Constant(v)
	}
	// What the functions of this package use.
	for _, v := range []uint64{C, mask52, mask48} {
		m.Constant(v)
	}
}
