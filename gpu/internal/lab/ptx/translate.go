package ptx

import (
	"fmt"
	"strings"
)

// carryState says which instruction has set the carry flag. Instructions use the flag without
// naming it. The translator knows which instruction has set it, because a carry may not be used
// across a label or a jump.
type carryState uint8

const (
	carryNone carryState = iota
	carryOut             // the carry of an addition
	borrowOut            // the borrow of a subtraction
)

// A step is a statement translated to the interpreter's instructions.
type step struct {
	code   []instr
	reads  []*register
	writes []*register
	jump   *label // target of a jump, or nil
	always bool   // execution never continues with the next statement
}

// A translator translates the statements of one function.
type translator struct {
	m      *Module
	fn     *function
	s      *statement
	step   *step
	carry  carryState
	slots  map[slotKey]int32
	failed error
}

// A slotKey identifies what a slot holds if it is not a register: a constant, or the special
// register with a name, to which value is added.
type slotKey struct {
	value uint64
	name  string
}

func (t *translator) fail(format string, args ...any) {
	if t.failed == nil {
		t.failed = fmt.Errorf("ptx: line %d: %s: "+format,
			append([]any{t.s.line, t.s.op}, args...)...)
	}
}

// translate translates fn.statements into fn.code.
func translate(m *Module, fn *function) error {
	t := &translator{m: m, fn: fn, slots: make(map[slotKey]int32)}
	fn.slots = len(fn.registers)
	steps := make([]step, len(fn.statements))
	for i := range fn.statements {
		t.s, t.step = &fn.statements[i], &steps[i]
		t.statement()
		if t.failed != nil {
			return t.failed
		}
	}
	fn.lay(steps)
	fn.statements = nil
	return nil
}

// slot returns the number of the slot that holds k.
func (t *translator) slot(k slotKey) int32 {
	if s, ok := t.slots[k]; ok {
		return s
	}
	s := int32(t.fn.slots)
	t.fn.slots++
	t.slots[k] = s
	if k.name != "" {
		t.fn.specials = append(t.fn.specials, specialSlot{s, special{k.name, k.value}})
	}
	t.fn.values = append(t.fn.values, k.value)
	return s
}

func (t *translator) constant(v uint64) int32 { return t.slot(slotKey{value: v}) }

// scratch returns a new slot for a temporary value within a statement.
func (t *translator) scratch() int32 {
	s := int32(t.fn.slots)
	t.fn.slots++
	t.fn.values = append(t.fn.values, 0)
	return s
}

func (t *translator) emit(in instr) { t.step.code = append(t.step.code, in) }

// symbol looks up a name in the scope of the statement.
func (t *translator) symbol(name string) symbol {
	sym, _ := t.s.scope.find(name)
	return sym
}

// address returns a slot that holds the address of v plus the number add.
func (t *translator) address(v *variable, add uint64) int32 {
	if v.space == spaceLocal {
		return t.slot(slotKey{v.addr + add, specialLocal})
	}
	return t.constant(spaceBase + v.addr + add)
}

// read returns the slot of an operand that is read. It must have width bits.
func (t *translator) read(o operand, width int) int32 { return t.readMost(o, width, false) }

// readMost does the work of the method read. If wider is set, it also allows a register with more
// than width bits.
func (t *translator) readMost(o operand, width int, wider bool) int32 {
	switch o.kind {
	case operandRegister:
		if o.value != 0 {
			t.fail("an operand that is no register")
		}
		if got := o.reg.typ.width; got != width && !(wider && got > width && width > 1) {
			t.fail("%s has %d bits instead of %d", o.reg.name, got, width)
		}
		t.step.reads = append(t.step.reads, o.reg)
		if o.neg {
			s := t.scratch()
			t.emit(instr{op: opXor, d: s, a: o.reg.slot, b: t.constant(1)})
			return s
		}
		return o.reg.slot
	case operandConstant:
		v, m := o.value, typ{'u', width}.mask()
		if v > m && ^v > m>>1 {
			t.fail("%d does not fit into %d bits", int64(v), width)
		}
		return t.constant(v & m)
	case operandSpecial:
		if w := specialWidths[o.name]; w == 0 {
			t.fail("%s is not declared, and no special register known here", o.name)
		} else if w != width {
			t.fail("%s has %d bits instead of %d", o.name, w, width)
		}
		return t.slot(slotKey{name: o.name})
	case operandSymbol:
		v := t.symbol(o.name).mem
		if v == nil {
			t.fail("%s is not declared", o.name)
			return 0
		}
		if width != 64 {
			t.fail("%s is an address of 64 bits", o.name)
		}
		return t.address(v, o.value)
	}
	t.fail("an operand that cannot be read")
	return 0
}

// write returns the slot of an operand that is written. It must have width bits.
func (t *translator) write(o operand, width int) int32 { return t.writeMost(o, width, false) }

// writeMost does the work of the method write. If wider is set, it also allows a register with more
// than width bits.
func (t *translator) writeMost(o operand, width int, wider bool) int32 {
	if o.kind != operandRegister || o.neg || o.value != 0 {
		t.fail("an operand that cannot be written")
		return 0
	}
	if got := o.reg.typ.width; got != width && !(wider && got > width && width > 1) {
		t.fail("%s has %d bits instead of %d", o.reg.name, got, width)
	}
	t.step.writes = append(t.step.writes, o.reg)
	return o.reg.slot
}

// modifiers are the modifiers of an opcode, such as ".u32", that have not been consumed yet.
type modifiers []string

// is consumes the modifier called name, at any position. It reports whether there was one.
func (m *modifiers) is(name string) bool {
	for i, s := range *m {
		if s == name {
			*m = append((*m)[:i:i], (*m)[i+1:]...)
			return true
		}
	}
	return false
}

// one consumes and returns the first of the given names that is among the modifiers. It returns ""
// if none is.
func (m *modifiers) one(names ...string) string {
	for _, name := range names {
		if m.is(name) {
			return name
		}
	}
	return ""
}

// typ consumes the last modifier, which must be an integer type with one of the given widths.
func (t *translator) typ(m *modifiers, widths ...int) typ {
	if n := len(*m); n > 0 {
		tp, ok := typeNames[(*m)[n-1]]
		for _, w := range widths {
			if ok && tp.width == w {
				*m = (*m)[:n-1]
				return tp
			}
		}
	}
	t.fail("no such type here")
	return typ{'u', 32}
}

// count reports whether the statement has n operands. If it does not, translation fails.
func (t *translator) count(n int) bool {
	if len(t.s.args) != n {
		t.fail("%d operands instead of %d", len(t.s.args), n)
	}
	return t.failed == nil
}

func (t *translator) statement() {
	switch t.s.mark {
	case markLabel, markAsm:
		t.carry = carryNone
		return
	case markScope:
		return
	}
	parts := strings.Split(t.s.op, ".")
	m := modifiers(parts[1:])
	switch parts[0] {
	case "bra", "ret", "call", "bar":
		t.control(parts[0], &m)
	case "ld", "st", "atom", "cvta":
		t.memory(parts[0], &m)
	default:
		t.compute(parts[0], &m)
	}
	if len(m) > 0 {
		t.fail("modifier .%s is not supported", m[0])
	}
}
