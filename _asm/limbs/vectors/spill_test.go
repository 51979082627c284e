package vectors

import (
	"slices"
	"strings"
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

// TestKeep allocates registers for a block that reads and writes two kept slots, while 16 others
// are live. It checks that both are in their registers after the block.
func TestKeep(t *testing.T) {
	input := func(k int) operand.Mem { return operand.Mem{Base: reg.RSI, Disp: 32 * k} }
	b := &block{in: map[slot]bool{0: true, 1: true}, out: map[slot]bool{0: true, 1: true}}
	for k := 2; k < 18; k++ {
		b.out[slot(k)] = true
		b.add(op("VMOVDQU", nil, input(k), slot(k)))
	}
	b.add(op("VPADDQ", nil, slot(0), slot(1), slot(18)), op("VMOVDQU", nil, input(19), slot(0)),
		op("VMOVDQU", nil, slot(18), slot(1)))
	a := &allocator{frame: Pointer(reg.R14), places: map[slot]int{}, keep: map[slot]int{0: 3, 1: 5}}
	holds := map[string]string{"Y3": "0", "Y5": "1"}
	for _, n := range a.run(b) {
		o := n.(*ir.Instruction).Operands
		var from []string
		for _, x := range o[:len(o)-1] {
			if v, ok := holds[x.Asm()]; ok {
				from = append(from, v)
			} else {
				from = append(from, x.Asm())
			}
		}
		slices.Sort(from)
		holds[o[len(o)-1].Asm()] = strings.Join(from, "+")
	}
	if holds["Y3"] != input(19).Asm() || holds["Y5"] != "0+1" {
		t.Errorf("Y3 holds %s, and Y5 %s", holds["Y3"], holds["Y5"])
	}
	for k := 2; k < 18; k++ {
		if got := holds[a.place(slot(k)).Asm()]; got != input(k).Asm() {
			t.Errorf("the memory of slot %d holds %s", k, got)
		}
	}
}
