package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// A step is a statement translated to the interpreter's instructions.
type step struct {
	code          []instr
	reads, writes []int32 // slots of registers
	jump          *label  // target of a jump, or nil
}

// A translator translates the statements of one function.
type translator struct {
	m    *Module
	fn   *function
	s    *statement
	step *step
	// carry is opAddCarry or opSubCarry after an instruction that leaves a carry or a borrow, and
	// otherwise opNone. Instructions use the carry without naming it. The translator knows which
	// instruction has set it, because a carry may not be used across a label or a jump, and by one
	// instruction only.
	carry  op
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
		t.fn.specials = append(t.fn.specials, special{s, k.name, k.value})
	}
	t.fn.values = append(t.fn.values, k.value)
	return s
}

func (t *translator) constant(v uint64) int32 { return t.slot(slotKey{value: v}) }

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

// fits checks that a register has width bits, or more if wider is set.
func (t *translator) fits(r *register, width int, wider bool) {
	if r.width != width && !(wider && r.width > width) {
		t.fail("%s has %d bits instead of %d", r.name, r.width, width)
	}
}

// read returns the slot of an operand that is read. It must have width bits. A register may have
// more if wider is set.
func (t *translator) read(o operand, width int, wider bool) int32 {
	switch o.kind {
	case operandRegister:
		if o.value != 0 {
			t.fail("an operand that is no register")
		}
		t.fits(o.reg, width, wider)
		t.step.reads = append(t.step.reads, o.reg.slot)
		return o.reg.slot
	case operandConstant:
		v, m := o.value, ^uint64(0)>>(64-width)
		if v > m && ^v > m>>1 {
			t.fail("%d does not fit into %d bits", int64(v), width)
		}
		return t.constant(v & m)
	case operandSpecial:
		if !slices.Contains(specials, o.name) {
			t.fail("%s is not declared, and no special register known here", o.name)
		} else if width != 32 {
			t.fail("%s has 32 bits instead of %d", o.name, width)
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

// write returns the slot of a register that is written. It must have width bits. It may have more
// if wider is set.
func (t *translator) write(o operand, width int, wider bool) int32 {
	if o.kind != operandRegister || o.value != 0 {
		t.fail("an operand that cannot be written")
		return 0
	}
	t.fits(o.reg, width, wider)
	t.step.writes = append(t.step.writes, o.reg.slot)
	return o.reg.slot
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
		t.carry = opNone
		return
	case markScope:
		return
	}
	name, rest, _ := strings.Cut(t.s.op, ".")
	switch name {
	case "bra", "ret", "call", "bar":
		t.control(t.s.op)
	case "ld", "st", "atom", "cvta":
		t.memory(name, strings.Split(rest, "."))
	default:
		t.compute()
	}
}
