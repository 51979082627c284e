package vectors

import (
	"slices"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TestSchedule schedules a dependency chain followed by other instructions. It checks that the
// instructions that do not depend on the chain move into it. It also checks that no instruction
// moves before one that it depends on, through a register or through memory.
func TestSchedule(t *testing.T) {
	c := build.NewContext()
	c.Function("f")
	at := func(r reg.Register, disp int) operand.Mem { return operand.Mem{Base: r, Disp: disp} }
	c.VMOVDQU64(at(reg.RSI, 0), reg.Z0)      // instruction 0
	c.VPADDQ(reg.Z0, reg.Z0, reg.Z1)         // instruction 1: a chain
	c.VPADDQ(reg.Z1, reg.Z1, reg.Z1)         // instruction 2
	c.VPADDQ(reg.Z1, reg.Z1, reg.Z1)         // instruction 3
	c.VMOVDQU64(reg.Z1, at(reg.RDI, 0))      // instruction 4
	c.VMOVDQU64(at(reg.RSI, 64), reg.Z2)     // instruction 5: may load what 4 stores
	c.VMOVDQU64(at(reg.R8, 64), reg.Z3)      // instruction 6: cannot load what 4 stores
	c.VPADDQ(reg.Z3, reg.Z3, reg.Z4)         // instruction 7: free to move up
	c.VMOVDQU64(at(reg.R8, 32), reg.Z3)      // instruction 8: overwrites what 7 reads
	c.VMOVDQU64(reg.Z4, at(reg.R8, 0))       // instruction 9: overlaps what 8 loads
	c.VPADDQ(reg.Z3, reg.Z3, reg.Z1)         // instruction 10: overwrites what 4 stores
	c.VPMADD52LUQ(reg.Z4, reg.Z4, reg.Z1)    // instruction 11
	c.VPXORQ(reg.Z5, reg.Z5, reg.Z5)         // instruction 12: waits for nothing
	c.VPADDQ(reg.Z5, reg.Z5, reg.K1, reg.Z2) // instruction 13: reads Z2
	c.VPTESTMQ(reg.Z1, reg.Z1, reg.K1)       // instruction 14: overwrites what 13 reads
	c.VMOVDQA64(reg.Z5, reg.K1, reg.Z6)      // instruction 15
	f, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	fn := f.Functions()[0]
	before := fn.Instructions()
	Schedule(fn, reg.R8, Width)
	position := make([]int, len(before))
	for k, i := range before {
		position[k] = slices.Index(fn.Instructions(), i)
	}
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {6, 7}, {7, 8}, {7, 9},
		{8, 9}, {8, 10}, {4, 10}, {10, 11}, {5, 13}, {12, 13}, {13, 14}, {11, 14}, {14, 15}, {7, 3}} {
		if position[pair[0]] < 0 || position[pair[0]] >= position[pair[1]] {
			t.Errorf("instruction %d is not before %d: %v", pair[0], pair[1], position)
		}
	}
}

// TestScheduleLoop schedules a loop with two dependency chains in the same register. It checks that
// the second chain begins before the first one ends, in another register, and that the register of
// a value from before the loop is not assigned.
func TestScheduleLoop(t *testing.T) {
	c := build.NewContext()
	c.Function("f")
	c.Label("loop")
	c.ADDQ(operand.U8(64), reg.RSI)
	for k := range 2 {
		c.VMOVDQU64(operand.Mem{Base: reg.RSI, Disp: 64 * k}, reg.Z0)
		for range 3 {
			c.VPADDQ(reg.Z1, reg.Z0, reg.Z0)
		}
		c.VMOVDQU64(reg.Z0, operand.Mem{Base: reg.RDI, Disp: 64 * k})
	}
	c.SUBQ(operand.U8(1), reg.RCX)
	c.JNZ(operand.LabelRef("loop"))
	f, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	fn := f.Functions()[0]
	ScheduleLoop(fn)
	list := fn.Instructions()
	if len(list) != 13 || list[0].Opcode != "ADDQ" || list[11].Opcode != "SUBQ" {
		t.Fatalf("%d instructions, from %s to %s", len(list), list[0].Opcode, list[11].Opcode)
	}
	var loads, stores []int
	for k, i := range list {
		last := i.Operands[len(i.Operands)-1]
		switch {
		case i.Opcode == "VMOVDQU64" && operand.IsMem(last):
			stores = append(stores, k)
		case i.Opcode == "VMOVDQU64":
			loads = append(loads, k)
		}
		if last == operand.Op(reg.Z1) {
			t.Errorf("instruction %d writes the register of the constant", k)
		}
	}
	register := func(k int) operand.Op { return list[k].Operands[1] }
	if loads[1] > stores[0] || register(loads[0]) == register(loads[1]) {
		t.Errorf("loads %v, stores %v: the chains do not overlap", loads, stores)
	}
}
