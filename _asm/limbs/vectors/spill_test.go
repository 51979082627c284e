package vectors

import (
	"testing"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TestFlushConstants allocates registers for a block after which 18 slots are live, two of them
// with constants. It checks that the block leaves each slot in its memory, with the right contents,
// and that nothing is stored in read-only data.
func TestFlushConstants(t *testing.T) {
	const live = 18
	constant := func(k int) operand.Mem {
		return operand.Mem{Symbol: operand.NewStaticSymbol("data"), Base: reg.StaticBase, Disp: 32 * k}
	}
	input := func(k int) operand.Mem { return operand.Mem{Base: reg.RSI, Disp: 32 * k} }
	from := func(k int) operand.Mem {
		if k < 2 {
			return constant(k)
		}
		return input(k)
	}
	b := &block{out: map[slot]bool{}}
	for k := range live {
		b.out[slot(k)] = true
		b.add(op("VMOVDQU", nil, from(k), slot(k)))
	}
	a := &allocator{frame: Pointer(reg.R14), places: map[slot]int{}}
	registers, stored := map[operand.Op]operand.Mem{}, map[operand.Mem]operand.Mem{}
	for _, n := range a.run(b) {
		o := n.(*ir.Instruction).Operands
		if to, ok := o[1].(operand.Mem); ok {
			if to.Base != reg.R14 {
				t.Fatalf("a store to %v", to.Asm())
			}
			stored[to] = registers[o[0]]
			continue
		}
		at := o[0].(operand.Mem)
		if at.Base == reg.R14 {
			at = stored[at]
		}
		registers[o[1]] = at
	}
	for k := range live {
		if got := stored[a.place(slot(k))]; got != from(k) {
			t.Errorf("the memory of slot %d holds %v", k, got.Asm())
		}
	}
}
