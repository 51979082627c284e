package inorder

import "github.com/koblitz-go/koblitz/_asm/interp"

// InTurn returns the instructions of a list in their given order, with registers assigned.
func (cpu *CPU) InTurn(text []interp.Instruction, pool []int) ([]interp.Instruction, int, error) {
	return cpu.order(text, pool, []plan{{window: 1}})
}
