package riscv64

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// A rare is what is done only if a carry goes far. It stands behind the kernel, and jumps back.
type rare struct {
	away, back string
	// rest has the carry, and then the limbs that it changes.
	rest func(m Machine, k Reg, v []Reg)
	regs []Reg
}

// rarely returns whether time may vary; then a carry that is not zero leads to the rest, which
// changes limbs where they are. The constant has a register of the kernel's own.
func (m Machine) rarely(k Reg, rest func(m Machine, k Reg, v []Reg), v ...Reg) bool {
	if !m.vartime {
		return false
	}
	n := len(m.rare)
	r := rare{away: fmt.Sprintf("far%d", n), back: fmt.Sprintf("near%d", n), rest: rest}
	operands := []interp.Operand{
		register(k), register(zero),
		{Kind: interp.Label, Label: r.away, IndexReg: -1},
	}
	for _, x := range append([]Reg{k}, v...) {
		operands = append(operands, register(x))
	}
	m.Add("BNE", operands...)
	m.rare = append(m.rare, r)
	return true
}

func register(r Reg) interp.Operand {
	return interp.Operand{Kind: interp.General, Index: int(r), Bits: 64, IndexReg: -1}
}

// Order puts what was added since New, or Next, into the order for a CPU that issues in order,
// and registers in the place of virtual ones.
func (m Machine) Order() {
	pool := make([]int, len(m.pool))
	for k, r := range m.pool {
		pool[k] = int(r)
	}
	list, _, err := riscv64.U74().Order(m.Take(m.from), pool)
	if err != nil {
		m.Fail("%v", err)
	}
	for _, x := range list {
		if x.Opcode != "BNE" || len(x.Operands) == 3 {
			m.Add(x.Opcode, x.Operands...)
			continue
		}
		m.Add("BNE", x.Operands[:3]...)
		for k := range m.rare {
			if r := &m.rare[k]; r.away == x.Operands[2].Label {
				m.Label(r.back)
				for _, o := range x.Operands[3:] {
					r.regs = append(r.regs, Reg(o.Index))
				}
			}
		}
	}
}

// Rest writes what stands behind the kernel.
func (m Machine) Rest() {
	for _, r := range m.rare {
		m.Label(r.away)
		r.rest(m, r.regs[0], r.regs[1:])
		m.JMP(r.back)
	}
}

// closeFar is the rest of Close after limb 1 with a carry, for limbs 0 to 3.
func closeFar(m Machine, k Reg, v []Reg) {
	for _, i := range []int{2, 3} {
		m.ADD(k, v[i], v[i])
		m.SLTU(k, v[i], k)
	}
	m.MUL(m.c, k, k)
	m.ADD(k, v[0], v[0])
	m.SLTU(k, v[0], k)
	m.ADD(k, v[1], v[1])
}

// borrowFar takes a borrow away from limbs, with a register that is kept in the frame
// meanwhile. The borrow is then that of the last one.
func borrowFar(m Machine, k Reg, v []Reg) {
	other := m.pool[0]
	for _, r := range m.pool {
		if other = r; other != k && !slices.Contains(v, r) {
			break
		}
	}
	place := m.Local(8)
	m.SD(other, place)
	for _, x := range v {
		m.SLTU(k, x, other)
		m.SUB(k, x, x)
		m.MOV(other, k)
	}
	m.LD(place, other)
}

// differenceFar is the rest of Difference after limb 0 with a borrow, for limbs 1, 2, 3 and 0.
func differenceFar(m Machine, k Reg, v []Reg) {
	borrowFar(m, k, v[:3])
	m.MUL(m.c, k, k)
	m.SUB(k, v[3], v[3])
}

// threeHalvesFar is the rest of the addition of p in ThreeHalves, for limbs 1 to 4.
func threeHalvesFar(m Machine, k Reg, v []Reg) {
	borrowFar(m, k, v[:3])
	m.SUB(k, v[3], v[3])
}
