package riscv64

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// A rare is out-of-line code that runs only after a far carry, that is, one beyond the limbs that
// the inline code corrects. This code follows the kernel, and ends with a jump back.
type rare struct {
	away, back string
	// rest writes the code. k is the carry or borrow to add or subtract, and v are the limbs that
	// the code changes in place.
	rest func(m Machine, k Reg, v []Reg)
	regs []Reg
}

// rarely writes a jump to out-of-line code, taken if the carry k is not zero. The function rest
// writes that code, which changes the limbs v in place. In a constant-time kernel rarely writes
// nothing and returns false. The constant c must be in a register of the kernel, not in a virtual
// one.
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

// Order reorders, for an in-order CPU, the instructions that were added since New or Next. It
// replaces the virtual registers by registers of the machine's pool.
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

// Rest writes the out-of-line code after the kernel.
func (m Machine) Rest() {
	for _, r := range m.rare {
		m.Label(r.away)
		r.rest(m, r.regs[0], r.regs[1:])
		m.JMP(r.back)
	}
}

// closeFar writes the rest of Close for a sum that carries out of limb 1. k is the carry, and v are
// limbs 0 to 3.
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

// borrowFar subtracts the borrow k from the number with the limbs v, lowest first. Afterwards k is
// the borrow out of the last limb. borrowFar needs one more register, and saves its value in the
// frame meanwhile.
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

// differenceFar writes the rest of Difference for the case that the subtraction of c borrows out of
// limb 0. k is that borrow. v are limbs 1, 2, 3 and 0, in this order.
func differenceFar(m Machine, k Reg, v []Reg) {
	borrowFar(m, k, v[:3])
	m.MUL(m.c, k, k)
	m.SUB(k, v[3], v[3])
}

// threeHalvesFar writes the rest of ThreeHalves for the case that, in the addition of p = 2^256 −
// c, subtracting c borrows out of limb 0. v are limbs 1 to 4.
func threeHalvesFar(m Machine, k Reg, v []Reg) {
	borrowFar(m, k, v[:3])
	m.SUB(k, v[3], v[3])
}
