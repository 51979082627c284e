package ptx

// compute translates arithmetic, logic, moves, comparisons and conversions.
func (t *translator) compute(name string, m *modifiers) {
	switch name {
	case "add", "sub", "addc", "subc":
		t.sum(name, m)
	case "mul", "mad", "madc":
		t.multiply(name, m)
	case "mov":
		t.move(m)
	case "setp":
		t.compare(m)
	case "selp":
		w := t.typ(m, 16, 32, 64).width
		t.ternary(instr{op: opSelect}, w, w, w, 1)
	case "cvt":
		t.convert(m)
	case "and", "or", "xor":
		tp := t.typ(m, 1, 16, 32, 64)
		if tp.class != 'b' && tp.class != 'p' {
			t.fail("no such type here")
		}
		t.binary(instr{op: map[string]op{"and": opAnd, "or": opOr, "xor": opXor}[name]}, tp)
	case "not":
		t.unary(t.typ(m, 1, 16, 32, 64), notValue)
	case "neg":
		t.unary(t.typ(m, 16, 32, 64), negValue)
	case "clz":
		t.unary(t.typ(m, 32), clzValue)
	case "min":
		tp := t.typ(m, 16, 32, 64)
		t.binary(instr{op: opFn, fn: minValue(tp)}, tp)
	case "div":
		tp := t.typ(m, 16, 32, 64)
		t.unsigned(tp)
		if t.count(3) {
			t.emit(instr{op: opNonzero, a: t.read(t.s.args[2], tp.width)})
			t.binary(instr{op: opFn, fn: func(a, b, _ uint64) uint64 { return a / b }}, tp)
		}
	case "shl", "shr":
		t.shift(name, m)
	case "shf":
		if m.one("l") == "" || m.one("wrap") == "" || t.typ(m, 32).class != 'b' {
			t.fail("not supported")
			return
		}
		t.ternary(instr{op: opShiftLeftFunnel}, 32, 32, 32, 32)
	case "bfe":
		tp := t.typ(m, 32, 64)
		t.unsigned(tp)
		t.ternary(instr{op: opFn, fn: bfeValue}, tp.width, tp.width, 32, 32)
	default:
		t.fail("not supported")
	}
}

// unary translates d = f(a). Both operands have the type tp.
func (t *translator) unary(tp typ, f func(typ) value) {
	if t.count(2) {
		a := t.s.args
		t.emit(instr{op: opFn, fn: f(tp), a: t.read(a[1], tp.width), d: t.write(a[0], tp.width)})
	}
}

// binary translates d = a ∘ b for a binary operation ∘. All operands have the type tp.
func (t *translator) binary(in instr, tp typ) {
	if t.count(3) {
		a, w := t.s.args, tp.width
		in.a, in.b = t.read(a[1], w), t.read(a[2], w)
		in.d = t.write(a[0], w)
		t.emit(in)
	}
}

// ternary translates d = f(a, b, c). The parameters d, a, b and c are the operands' widths in bits.
func (t *translator) ternary(in instr, d, a, b, c int) {
	if t.count(4) {
		args := t.s.args
		in.a, in.b, in.c = t.read(args[1], a), t.read(args[2], b), t.read(args[3], c)
		in.d = t.write(args[0], d)
		t.emit(in)
	}
}

// arithmetic reports an error for types that are neither signed nor unsigned integers.
func (t *translator) arithmetic(tp typ) {
	if tp.class != 'u' && tp.class != 's' {
		t.fail("no such type here")
	}
}

// unsigned reports an error for types that are not unsigned integers.
func (t *translator) unsigned(tp typ) {
	if tp.class != 'u' {
		t.fail("no such type here")
	}
}

// carries maps the instructions that read or write the carry to their operations.
var carries = map[string]op{
	"add.cc": opAddCC32, "addc.cc": opAddcCC32, "addc": opAddc32,
	"sub.cc": opSubCC32, "subc.cc": opSubcCC32, "subc": opSubc32,
	"mad.lo.cc": opMadCC32, "madc.lo.cc": opMadcCC32, "madc.lo": opMadc32,
	"mad.hi.cc": opMadHighCC32, "madc.hi.cc": opMadcHighCC32, "madc.hi": opMadcHigh32,
}

// carried translates an instruction that reads or writes the carry, if the statement is one. name
// is the opcode without .cc and without its type. carried checks that a carry that the instruction
// reads is defined, and records the carry that it writes.
func (t *translator) carried(name string, m *modifiers) bool {
	in, out := len(t.s.op) > 3 && t.s.op[3] == 'c', m.is("cc")
	if !in && !out {
		return false
	}
	if out {
		name += ".cc"
	}
	op, ok := carries[name]
	if !ok {
		t.fail("not supported")
		return true
	}
	t.unsigned(t.typ(m, 32))
	kind := carryOut
	if name[0] == 's' {
		kind = borrowOut
	}
	if in && t.carry != kind {
		t.fail("the carry is not defined here, or is that of another kind of instruction")
	}
	if out {
		t.carry = kind
		if t.s.guard != nil {
			t.fail("a carry that is not always written")
		}
	}
	if name[0] == 'm' {
		t.ternary(instr{op: op}, 32, 32, 32, 32)
	} else {
		t.binary(instr{op: op}, typ{'u', 32})
	}
	return true
}

func (t *translator) sum(name string, m *modifiers) {
	if t.carried(name, m) {
		return
	}
	tp := t.typ(m, 16, 32, 64)
	t.arithmetic(tp)
	i := instr{op: map[string]op{
		"add16": opFn, "sub16": opFn, "add32": opAdd32, "sub32": opSub32, "add64": opAdd64,
		"sub64": opSub64,
	}[name+itoa(tp.width)]}
	if i.fn = addValue(tp); name == "sub" {
		i.fn = subValue(tp)
	}
	t.binary(i, tp)
}

func (t *translator) multiply(name string, m *modifiers) {
	mode := m.one("lo", "hi", "wide")
	if t.carried(name+"."+mode, m) {
		return
	}
	tp := t.typ(m, 16, 32, 64)
	t.arithmetic(tp)
	width := tp.width
	i := instr{op: map[string]op{
		"mul.lo.32": opMul32, "mad.lo.32": opMad32, "mul.lo.64": opMul64, "mul.hi.32": opMulHigh32,
		"mul.wide.32": opMulWide32, "mad.wide.32": opMadWide32, "mul.wide.16": opFn, "mad.wide.16": opFn,
	}[name+"."+mode+"."+itoa(width)]}
	if i.op == opNone || mode == "hi" && tp.signed() {
		t.fail("not supported")
		return
	}
	if mode == "wide" {
		width *= 2
		if tp.signed() || tp.width == 16 {
			i.op, i.fn = opFn, wideValue(tp)
		}
	}
	if name == "mad" {
		t.ternary(i, width, tp.width, tp.width, width)
	} else if t.count(3) {
		a := t.s.args
		i.a, i.b, i.c = t.read(a[1], tp.width), t.read(a[2], tp.width), t.constant(0)
		i.d = t.write(a[0], width)
		t.emit(i)
	}
}

func (t *translator) move(m *modifiers) {
	tp := t.typ(m, 1, 16, 32, 64)
	if !t.count(2) {
		return
	}
	a := t.s.args[1]
	if tp.class == 'p' && a.kind == operandConstant && a.value > 1 {
		a.value = 1
	}
	i := instr{op: opMove, a: t.read(a, tp.width)}
	i.d = t.write(t.s.args[0], tp.width)
	t.emit(i)
}

func (t *translator) compare(m *modifiers) {
	cmp := m.one("eq", "ne", "lt", "le", "gt", "ge")
	tp := t.typ(m, 16, 32, 64)
	i := instr{op: map[string]op{"eq": opEqual, "ne": opUnequal, "lt": opLess, "le": opLessEqual,
		"gt": opLess, "ge": opLessEqual}[cmp]}
	ordered := i.op == opLess || i.op == opLessEqual
	if i.op == opNone || ordered && tp.class == 'b' {
		t.fail("no such comparison for the type")
		return
	}
	if ordered && tp.signed() {
		orEqual := i.op == opLessEqual
		i.op, i.fn = opFn, func(a, b, _ uint64) uint64 {
			return bit(less(tp, a, b) || orEqual && a == b)
		}
	}
	if t.count(3) {
		i.a, i.b = t.read(t.s.args[1], tp.width), t.read(t.s.args[2], tp.width)
		if cmp[0] == 'g' {
			i.a, i.b = i.b, i.a
		}
		i.d = t.write(t.s.args[0], 1)
		t.emit(i)
	}
}

func (t *translator) convert(m *modifiers) {
	from := t.typ(m, 8, 16, 32, 64)
	to := t.typ(m, 8, 16, 32, 64)
	t.arithmetic(from)
	t.arithmetic(to)
	if !t.count(2) {
		return
	}
	d, a := t.s.args[0], t.s.args[1]
	if d.kind != operandRegister {
		t.fail("an operand that cannot be written")
		return
	}
	i := instr{op: opFn, fn: cvtValue(to, from, d.reg.typ.width)}
	i.a, i.d = t.readMost(a, from.width, true), t.writeMost(d, to.width, true)
	exact := a.kind == operandRegister && a.reg.typ.width == from.width
	switch {
	case from.class == 'u' && exact && to.width >= from.width && !to.signed():
		i.op = opMove
	case from.width == 64 && to.width == 32 && d.reg.typ.width == 32:
		i.op = opLow32
	}
	t.emit(i)
}

func (t *translator) shift(name string, m *modifiers) {
	tp := t.typ(m, 32, 64)
	i := instr{op: map[string]op{
		"shl32": opShl32, "shl64": opShl64, "shr32": opShr, "shr64": opShr,
	}[name+itoa(tp.width)]}
	if name == "shl" && tp.class != 'b' {
		t.fail("no such type here")
	}
	if tp.signed() {
		i.op, i.fn = opFn, shrValue(tp)
	}
	if t.count(3) {
		a := t.s.args
		i.a, i.b, i.d = t.read(a[1], tp.width), t.read(a[2], 32), t.write(a[0], tp.width)
		t.emit(i)
	}
}
