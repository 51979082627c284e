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
		frame := reg.R8
		switch {
		case k.Rewrite != nil && k.Package == "lanes":
			frame = reg.RBX
		case k.Rewrite != nil:
			frame = reg.R14
		}
		apart := k.Package == "sums" && k.Rewrite == nil // see ScheduleLoop
		got, want := expressions(a, names, frame, apart), expressions(b, names, frame, apart)
		if k.Rewrite != nil || apart { // other values may be left in registers and in the frame
			private := func(place string, _ int) bool {
				return !strings.Contains(place, "(") || strings.Contains(place, "("+frame.Asm()+")")
			}
			maps.DeleteFunc(got, private)
			maps.DeleteFunc(want, private)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: another order computes something else", k.Name)
		}
	}
	if seen < 10 {
		t.Errorf("%d kernels are put in order", seen)
	}
	// Check that a wrong order of two dependent instructions is detected.
	for name, frame := range map[string]reg.GPPhysical{
		"mulIFMA": reg.R8, "mulFMA256": reg.RBX, "mulIFMA256": reg.RBX,
	} {
		k := kernel(name)
		k.Order = nil
		_, fn := compile(t, k)
		a := fn.Instructions()
		names := map[string]int{}
		want := expressions(a, names, frame, false)
		changes := 0
		for at := 1; at < len(a); at++ {
			b := slices.Clone(a)
			b[at], b[at-1] = b[at-1], b[at]
			if !maps.Equal(expressions(b, names, frame, false), want) {
				changes++
			}
		}
		if changes < 20 {
			t.Errorf("%s: of all exchanges of neighbours only %d are seen", name, changes)
		}
	}
}

// commutative lists instructions whose first two operands may be exchanged.
var commutative = strings.Fields("VPADDQ VPMULUDQ VPAND VPOR VPXOR VFMADD231PD VFMSUB231PD " +
	"VPMADD52LUQ VPMADD52HUQ")

// expressions evaluates the instructions symbolically, without jumps. It returns the final contents
// of memory and registers as numbers: equal numbers mean equal expressions. A store to the memory
// of an argument may change all memory of arguments, except at other offsets from the same
// register, so a later load gives a new number. If apart is set, it changes only memory with the
// same base register. It never changes the frame, to which the register frame points, and
// constants, to which a register points that LEAQ set to the address of a symbol.
func expressions(
	list []*ir.Instruction, names map[string]int, frame reg.Register, apart bool,
) map[string]int {
	state := map[string]int{}
	stores, all := map[string]int{}, 0 // stores by base register, and their sum
	changes := map[string]int{}        // by general register
	fixed := map[string]bool{frame.Asm(): true}
	name := func(s string) int {
		if _, ok := names[s]; !ok {
			names[s] = len(names)
		}
		return names[s]
	}
	argument := func(o operand.Op) (base string, ok bool) {
		m, ok := o.(operand.Mem)
		if !ok || m.Symbol.Name != "" || fixed[m.Base.Asm()] {
			return "", false
		}
		return m.Base.Asm(), true
	}
	place := func(o operand.Op) string {
		switch o := o.(type) {
		case reg.VecPhysical:
			return o.AsZ().Asm()
		case reg.Register:
			return o.Asm()
		case operand.Mem:
			if base, ok := argument(o); ok {
				at := fmt.Sprint(o.Asm(), " ", changes[base])
				if o.Index != nil {
					at += fmt.Sprint(" ", changes[o.Index.Asm()])
				}
				return at
			}
			return o.Asm()
		}
		return ""
	}
	known := map[string]int{} // by place: stores to other memory before the last store there
	for _, i := range list {
		if len(i.Operands) == 0 { // VZEROUPPER, VZEROALL
			continue
		}
		last := len(i.Operands) - 1
		if !strings.HasPrefix(i.Opcode, "V") && !strings.HasPrefix(i.Opcode, "K") {
			if r, ok := i.Operands[last].(reg.Register); ok {
				m, memory := i.Operands[0].(operand.Mem)
				if memory && i.Opcode == "LEAQ" && m.Base == reg.StaticBase {
					fixed[r.Asm()] = true
				}
				changes[reg.ToPhysical(r).(reg.GP).As64().Asm()]++
			}
			continue
		}
		masked := false
		var values []int
		value := func(o operand.Op) {
			at := place(o)
			v, ok := state[at]
			if base, argument := argument(o); argument {
				others := all - stores[base]
				if apart {
					others = 0
				}
				if !ok || !apart && known[at] != others {
					at, ok = fmt.Sprint(at, " after ", others), false
				}
			}
			if at == "" {
				at = o.Asm()
			}
			if !ok {
				v = name(at)
			}
			values = append(values, v)
		}
		cancels := strings.HasPrefix(i.Opcode, "VPXOR") && place(i.Operands[0]) == place(i.Operands[1])
		for at, o := range i.Operands {
			if r, ok := o.(reg.Register); ok && r.Kind() == reg.KindOpmask && at < last {
				masked = true
			}
			accumulates := strings.HasPrefix(i.Opcode, "VPMADD52") || strings.HasPrefix(i.Opcode, "VFM")
			if !cancels && (at < last || masked || accumulates) {
				value(o)
			}
		}
		to := place(i.Operands[last])
		if base, ok := argument(i.Operands[last]); ok {
			stores[base]++
			all++
			known[to] = all - stores[base]
		}
		if strings.HasPrefix(i.Opcode, "VMOVDQ") && len(values) == 1 {
			state[to] = values[0]
			continue
		}
		if cancels { // VPXOR for the lower 16 registers, VPXORQ for the others
			state[to] = name("0")
			continue
		}
		if len(values) > 1 && slices.Contains(commutative, i.Opcode) {
			slices.Sort(values[:2])
		}
		state[to] = name(fmt.Sprint(i.OpcodeWithSuffixes(), values))
	}
	return state
}
