package vectors

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
)

// Interleave writes two instruction sequences, evenly mixed. The second begins after lag
// instructions of the first. A CPU looks ahead only a limited number of instructions; while one
// sequence waits for a result, the CPU can run the other. Two equal sequences without a lag would
// multiply at the same time, and wait for carries at the same time. Each sequence gets half of the
// free registers. A sequence must not use results of the other one, the flags, or constants that m
// has not loaded yet. With the multiplier FMA, half of the registers are too few, and the second
// sequence follows the first.
func (m *Machine) Interleave(lag int, sequence [2]func(m *Machine)) {
	if m.multiplier == FMA || m.narrow != nil {
		sequence[0](m)
		sequence[1](m)
		return
	}
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
		if i < n0 && (j == n1 || (i-lag)*n1 <= j*n0) {
			m.Instruction(lists[0][i])
			i++
		} else {
			m.Instruction(lists[1][j])
			j++
		}
	}
}

// Constants puts the listed constants into the read-only data before they are used. Interleave
// requires this of all constants in its sequences.
func (m *Machine) Constants(list ...uint64) {
	for _, v := range list {
		m.Constant(v)
	}
	// Add the constants that the functions of this package use.
	for _, v := range []uint64{C, mask52, mask48} {
		m.Constant(v)
	}
}
