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
	case "set":
		t.set(m)
	case "selp", "slct":
		t.choose(name, m)
	case "cvt":
		t.convert(m)
	case "and", "or", "xor":
		tp := t.typ(m, 1, 16, 32, 64)
		if tp.class != 'b' && tp.class != 'p' {
			t.fail("no such type here")
		}
		t.binary(instr{op: map[string]op{"and": opAnd, "or": opOr, "xor": opXor}[name]}, tp)
	case "not":
		t.unary(t.typ(m, 1, 16, 32, 64), notValue, 0)
	case "cnot":
		t.unary(t.typ(m, 16, 32, 64), func(typ) value { return cnotValue }, 0)
	case "neg":
		t.unary(t.typ(m, 16, 32, 64), negValue, 0)
	case "abs":
		t.unary(t.typ(m, 16, 32, 64), absValue, 0)
	case "brev":
		t.unary(t.typ(m, 32, 64), brevValue, 0)
	case "popc":
		t.unary(t.typ(m, 32, 64), func(typ) value { return popcValue }, 32)
	case "clz":
		t.unary(t.typ(m, 32, 64), clzValue, 32)
	case "bfind":
		shift := m.is("shiftamt")
		t.unary(t.typ(m, 32, 64), func(tp typ) value { return bfindValue(tp, shift) }, 32)
	case "min", "max":
		tp := t.typ(m, 16, 32, 64)
		f := minValue(tp)
		if name == "max" {
			f = maxValue(tp)
		}
		t.binary(instr{op: opFn, fn: f}, tp)
	case "div", "rem":
		tp := t.typ(m, 16, 32, 64)
		f := divValue(tp)
		if name == "rem" {
			f = remValue(tp)
		}
		if t.count(3) {
			t.emit(instr{op: opNonzero, a: t.read(t.s.args[2], tp.width)})
			t.binary(instr{op: opFn, fn: f}, tp)
		}
	case "sad":
		tp := t.typ(m, 16, 32, 64)
		t.ternary(instr{op: opFn, fn: sadValue(tp)}, tp.width, tp.width, tp.width, tp.width)
	case "shl", "shr":
		t.shift(name, m)
	case "shf":
		t.funnel(m)
	case "bfe":
		tp := t.typ(m, 32, 64)
		t.ternary(instr{op: opFn, fn: bfeValue(tp)}, tp.width, tp.width, 32, 32)
	case "bfi":
		tp := t.typ(m, 32, 64)
		if t.count(5) {
			a, w := t.s.args, tp.width
			t.emit(instr{op: opFn4, a: t.read(a[1], w), b: t.read(a[2], w), c: t.read(a[3], 32),
				x: uint64(t.read(a[4], 32)), d: t.write(a[0], w), ext: &extension{fn4: bfi(tp)}})
		}
	case "prmt":
		mode := m.one("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
		t.typ(m, 32)
		// The mode of prmt comes after the type in the opcode.
		t.ternary(instr{op: opFn, fn: prmtValue(mode)}, 32, 32, 32, 32)
	case "lop3":
		t.typ(m, 32)
		if t.count(5) {
			a := t.s.args
			if a[4].kind != operandConstant || a[4].value > 255 {
				t.fail("a table that is no constant below 256")
			}
			t.emit(instr{op: opLop3, a: t.read(a[1], 32), b: t.read(a[2], 32),
				c: t.read(a[3], 32), x: a[4].value, d: t.write(a[0], 32)})
		}
	default:
		t.fail("not supported")
	}
}

// unary translates d = f(a). d has the given width in bits, or the width of a if width is 0.
func (t *translator) unary(tp typ, f func(typ) value, width int) {
	if !t.count(2) {
		return
	}
	if width == 0 {
		width = tp.width
	}
	a := t.s.args
	t.emit(instr{op: opFn, fn: f(tp), a: t.read(a[1], tp.width), d: t.write(a[0], width)})
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

// carried records the carry that a statement writes, and checks that the carry that it reads is
// defined.
func (t *translator) carried(in, out bool, kind carryState) {
	if in && t.carry != kind {
		t.fail("the carry is not defined here, or is that of another kind of instruction")
	}
	if out {
		t.carry = kind
		if t.s.guard != nil {
			t.fail("a carry that is not always written")
		}
	}
}

func (t *translator) sum(name string, m *modifiers) {
	in, out := name == "addc" || name == "subc", m.is("cc")
	if !in && !out {
		tp := t.typ(m, 16, 32, 64)
		i := instr{op: opFn}
		switch {
		case tp.width == 32:
			i.op = map[string]op{"add": opAdd32, "sub": opSub32}[name]
		case tp.width == 64:
			i.op = map[string]op{"add": opAdd64, "sub": opSub64}[name]
		case name == "add":
			i.fn = addValue(tp)
		default:
			i.fn = subValue(tp)
		}
		t.arithmetic(tp)
		t.binary(i, tp)
		return
	}
	tp := t.typ(m, 32, 64)
	t.arithmetic(tp)
	kind, f := carryOut, addCarrier(tp)
	if name[0] == 's' {
		kind, f = borrowOut, subCarrier(tp)
	}
	t.carried(in, out, kind)
	i := instr{op: opCarry, ext: &extension{carry: carryMode(f, in, out)}}
	if tp.width == 32 {
		i.op = map[string]op{"add.cc": opAddCC32, "addc.cc": opAddcCC32, "addc": opAddc32,
			"sub.cc": opSubCC32, "subc.cc": opSubcCC32, "subc": opSubc32}[ccName(name, out)]
	}
	t.binary(i, tp)
}

// arithmetic reports an error for types that are neither signed nor unsigned integers.
func (t *translator) arithmetic(tp typ) {
	if tp.class != 'u' && tp.class != 's' {
		t.fail("no such type here")
	}
}

func ccName(name string, out bool) string {
	if out {
		return name + ".cc"
	}
	return name
}

// carryMode returns f, but without the incoming carry unless in is set, and without the outgoing
// carry unless out is set.
func carryMode(f carrier, in, out bool) carrier {
	return func(a, b, c, carry uint64) (uint64, uint64) {
		from := carry
		if !in {
			from = 0
		}
		d, to := f(a, b, c, from)
		if !out {
			to = carry
		}
		return d, to
	}
}

func (t *translator) multiply(name string, m *modifiers) {
	mode := m.one("lo", "hi", "wide")
	in, out := name == "madc", m.is("cc")
	if mode == "" || mode == "wide" && (in || out) || name == "mul" && out {
		t.fail("not supported")
		return
	}
	if in || out {
		tp := t.typ(m, 32, 64)
		t.arithmetic(tp)
		t.carried(in, out, carryOut)
		i := instr{op: opCarry, ext: &extension{carry: carryMode(madCarrier(tp, mode), in, out)}}
		if tp.width == 32 && (mode == "lo" || !tp.signed()) {
			i.op = map[string]op{
				"lo.mad.cc": opMadCC32, "lo.madc.cc": opMadcCC32, "lo.madc": opMadc32,
				"hi.mad.cc": opMadHighCC32, "hi.madc.cc": opMadcHighCC32, "hi.madc": opMadcHigh32,
			}[mode+"."+ccName(name, out)]
		}
		t.ternary(i, tp.width, tp.width, tp.width, tp.width)
		return
	}
	widths := []int{16, 32, 64}
	if mode == "wide" {
		widths = widths[:2]
	}
	tp := t.typ(m, widths...)
	t.arithmetic(tp)
	width := tp.width
	if mode == "wide" {
		width *= 2
	}
	i := instr{op: opFn, fn: mulValue(tp, mode)}
	switch {
	case tp.width == 64 && mode == "lo":
		i.op = map[string]op{"mul": opMul64, "mad": opMad64}[name]
	case tp.width != 32 || mode != "lo" && tp.signed():
	case name == "mul":
		i.op = map[string]op{"lo": opMul32, "hi": opMulHigh32, "wide": opMulWide32}[mode]
	default:
		i.op = map[string]op{"lo": opMad32, "hi": opMadHigh32, "wide": opMadWide32}[mode]
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
	d, a := t.s.args[0], t.s.args[1]
	half := tp.width / 2
	switch {
	case d.kind == operandVector && a.kind == operandVector:
		t.fail("from a vector to a vector")
	case d.kind == operandVector:
		if tp.width < 32 || len(d.list) != 2 {
			t.fail("a vector that is not supported")
			return
		}
		i := instr{op: opSplit64, a: t.read(a, tp.width), x: uint64(half)}
		i.d, i.b = t.write(d.list[0], half), t.write(d.list[1], half)
		t.emit(i)
	case a.kind == operandVector:
		if tp.width < 32 || len(a.list) != 2 {
			t.fail("a vector that is not supported")
			return
		}
		i := instr{op: opPack64, x: uint64(half)}
		i.a, i.b = t.read(a.list[0], half), t.read(a.list[1], half)
		i.d = t.write(d, tp.width)
		t.emit(i)
	default:
		if tp.class == 'p' && a.kind == operandConstant && a.value > 1 {
			a.value = 1
		}
		i := instr{op: opMove, a: t.read(a, tp.width)}
		i.d = t.write(d, tp.width)
		t.emit(i)
	}
}

// result translates a comparison, for setp and set. If with is not empty, the result of the
// comparison is combined with a predicate by that operation.
func (t *translator) result(m *modifiers, tp typ, cmp, with string) (instr, bool) {
	args := t.s.args
	f := comparison(tp, cmp)
	if f == nil {
		t.fail("no such comparison for the type")
		return instr{}, false
	}
	n := 3
	if with != "" {
		n = 4
	}
	if !t.count(n) {
		return instr{}, false
	}
	i := instr{op: opFn, fn: func(a, b, _ uint64) uint64 { return bit(f(a, b)) }}
	i.a, i.b = t.read(args[1], tp.width), t.read(args[2], tp.width)
	if with != "" {
		g := boolean(with)
		i.fn = func(a, b, c uint64) uint64 { return g(bit(f(a, b)), c) }
		i.c = t.read(args[3], 1)
		return i, true
	}
	unsigned := !tp.signed()
	switch {
	case cmp == "eq":
		i.op = opEqual
	case cmp == "ne":
		i.op = opUnequal
	case unsigned && (cmp == "lt" || cmp == "lo"):
		i.op = opLess
	case unsigned && (cmp == "le" || cmp == "ls"):
		i.op = opLessEqual
	case unsigned && (cmp == "gt" || cmp == "hi"):
		i.op, i.a, i.b = opLess, i.b, i.a
	case unsigned && (cmp == "ge" || cmp == "hs"):
		i.op, i.a, i.b = opLessEqual, i.b, i.a
	}
	return i, true
}

var comparisons = [...]string{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"}

func (t *translator) compare(m *modifiers) {
	cmp := m.one(comparisons[:]...)
	with := m.one("and", "or", "xor")
	tp := t.typ(m, 16, 32, 64)
	i, ok := t.result(m, tp, cmp, with)
	if !ok {
		return
	}
	d := t.s.args[0]
	second := d.pair
	d.pair = nil
	if second == nil {
		i.d = t.write(d, 1)
		t.emit(i)
		return
	}
	// q is the negated comparison, combined with the same predicate. p and q use the operands' old
	// values, so p is written last.
	f, g := comparison(tp, cmp), boolean(with)
	q := instr{op: opFn, a: t.read(t.s.args[1], tp.width), b: t.read(t.s.args[2], tp.width)}
	q.fn = func(a, b, _ uint64) uint64 { return bit(!f(a, b)) }
	if with != "" {
		q.c = t.read(t.s.args[3], 1)
		q.fn = func(a, b, c uint64) uint64 { return g(bit(!f(a, b)), c) }
	}
	s := t.scratch()
	q.d = s
	t.emit(q)
	i.d = t.write(d, 1)
	t.emit(i)
	t.emit(instr{op: opMove, a: s, d: t.write(operand{reg: second}, 1)})
}

func (t *translator) set(m *modifiers) {
	cmp := m.one(comparisons[:]...)
	with := m.one("and", "or", "xor")
	tp := t.typ(m, 16, 32, 64)
	to := t.typ(m, 32)
	t.arithmetic(to)
	if i, ok := t.result(m, tp, cmp, with); ok {
		i.d = t.write(t.s.args[0], 32)
		t.emit(i)
		t.emit(instr{op: opSub32, a: t.constant(0), b: i.d, d: i.d})
	}
}

func (t *translator) choose(name string, m *modifiers) {
	if name == "selp" {
		tp := t.typ(m, 16, 32, 64)
		t.ternary(instr{op: opSelect}, tp.width, tp.width, tp.width, 1)
		return
	}
	if by := t.typ(m, 32); by.class != 's' {
		t.fail("no such type here")
	}
	tp := t.typ(m, 16, 32, 64)
	i := instr{op: opFn, fn: func(a, b, c uint64) uint64 {
		if int32(c) >= 0 {
			return a
		}
		return b
	}}
	t.ternary(i, tp.width, tp.width, tp.width, 32)
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
	tp := t.typ(m, 16, 32, 64)
	i := instr{op: opFn}
	switch {
	case name == "shl" && tp.class != 'b':
		t.fail("no such type here")
	case name == "shl":
		i.fn = shlValue(tp)
		i.op = map[int]op{16: opFn, 32: opShl32, 64: opShl64}[tp.width]
	default:
		i.fn = shrValue(tp)
		if !tp.signed() {
			i.op = map[int]op{16: opFn, 32: opShr32, 64: opShr64}[tp.width]
		}
	}
	if t.count(3) {
		a := t.s.args
		i.a, i.b, i.d = t.read(a[1], tp.width), t.read(a[2], 32), t.write(a[0], tp.width)
		t.emit(i)
	}
}

func (t *translator) funnel(m *modifiers) {
	side, mode := m.one("l", "r"), m.one("wrap", "clamp")
	if tp := t.typ(m, 32); side == "" || mode == "" || tp.class != 'b' {
		t.fail("not supported")
		return
	}
	i := instr{op: opFn, fn: shfValue(side == "l", mode == "wrap")}
	if mode == "wrap" {
		i.op = map[string]op{"l": opShiftLeftFunnel, "r": opShiftRightFunnel}[side]
	}
	t.ternary(i, 32, 32, 32, 32)
}
