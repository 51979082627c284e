package inorder

import "github.com/koblitz-go/koblitz/_asm/interp"

// InTurn returns the instructions of a list in their given order, with virtual registers replaced
// by registers of the pool.
func (cpu *CPU) InTurn(text []interp.Instruction, pool []int) ([]interp.Instruction, int, error) {
	return cpu.order(text, pool, []plan{{window: 1}})
}
