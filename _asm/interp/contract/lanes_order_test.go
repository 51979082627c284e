package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/kernels"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TestOrder checks that the reordered instructions of a kernel store the same expressions of its
// arguments at the same addresses as before the reordering.
func TestOrder(t *testing.T) {
	seen := 0
	for _, k := range kernels.All() {
		if k.Order == nil {
			continue
		}
		seen++
		_, ordered := compile(t, &k)
		k.Order = nil
		_, written := compile(t, &k)
		a, b := ordered.Instructions(), written.Instructions()
		if same := slices.EqualFunc(a, b, func(x, y *ir.Instruction) bool {
			return x.Opcode == y.Opcode && fmt.Sprint(x.Operands) == fmt.Sprint(y.Operands)
		}); same && len(a) > 100 {
			t.Errorf("%s: the order is the one that it was written in", k.Name)
		}
		names := map[string]int{}
		if got, want := expressions(a, names), expressions(b, names); !maps.Equal(got, want) {
			t.Errorf("%s: another order computes something else", k.Name)
		}
	}
	if seen < 10 {
		t.Errorf("%d kernels are put in order", seen)
	}
	// Check that a wrong order of two dependent instructions is detected.
	k := kernels.All()[slices.IndexFunc(kernels.All(),
		func(k kernels.Kernel) bool { return k.Name == "mulIFMA" })]
	k.Order = nil
	_, fn := compile(t, &k)
	a := fn.Instructions()
	names := map[string]int{}
	want := expressions(a, names)
	changes := 0
	for at := 1; at < len(a); at++ {
		b := slices.Clone(a)
		b[at], b[at-1] = b[at-1], b[at]
		if !maps.Equal(expressions(b, names), want) {
			changes++
		}
	}
	if changes < 20 {
		t.Errorf("of all exchanges of neighbours only %d are seen", changes)
	}
}

// expressions evaluates the instructions symbolically, without jumps. It returns the final contents
// of memory and registers as numbers: equal numbers mean equal expressions. A store to the memory
// of an argument may change the memory of all arguments, so a later load from an argument gives a
// new number.
func expressions(list []*ir.Instruction, names map[string]int) map[string]int {
	state := map[string]int{}
	stores := 0
	name := func(s string) int {
		if _, ok := names[s]; !ok {
			names[s] = len(names)
		}
		return names[s]
	}
	place := func(o operand.Op) string {
		switch o := o.(type) {
		case reg.VecPhysical:
			return o.AsZ().Asm()
		case reg.Register:
			return o.Asm()
		case operand.Mem:
			return o.Asm()
		}
		return ""
	}
	for _, i := range list {
		if !strings.HasPrefix(i.Opcode, "V") && !strings.HasPrefix(i.Opcode, "K") {
			continue
		}
		if i.Opcode == "VZEROUPPER" {
			continue
		}
		last := len(i.Operands) - 1
		masked := false
		expression := i.OpcodeWithSuffixes()
		value := func(o operand.Op) {
			at := place(o)
			v, ok := state[at]
			if m, mem := o.(operand.Mem); mem && m.Symbol.Name == "" && m.Base.Asm() != reg.R8.Asm() {
				at = fmt.Sprint(at, " after ", stores)
				ok = false
			}
			if at == "" {
				at = o.Asm()
			}
			if !ok {
				v = name(at)
			}
			expression += fmt.Sprint(" ", v)
		}
		cancels := strings.HasPrefix(i.Opcode, "VPXOR") && place(i.Operands[0]) == place(i.Operands[1])
		for at, o := range i.Operands {
			if r, ok := o.(reg.Register); ok && r.Kind() == reg.KindOpmask && at < last {
				masked = true
			}
			if !cancels && (at < last || masked || strings.HasPrefix(i.Opcode, "VPMADD52")) {
				value(o)
			}
		}
		to := place(i.Operands[last])
		if m, ok := i.Operands[last].(operand.Mem); ok && m.Base.Asm() != reg.R8.Asm() {
			stores++
		}
		state[to] = name(expression)
	}
	return state
}
