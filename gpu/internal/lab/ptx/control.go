package ptx

// control translates branches, calls, returns and barriers.
func (t *translator) control(name string, m *modifiers) {
	args := t.s.args
	switch name {
	case "bra":
		m.is("uni")
		t.carry = carryNone
		if !t.count(1) {
			return
		}
		l := t.symbol(args[0].name).code
		if args[0].kind != operandSymbol || l == nil || args[0].value != 0 {
			t.fail("%s is no label", args[0].name)
			return
		}
		t.step.jump = l
		t.step.always = t.s.guard == nil
		in := instr{op: opJump}
		if g := t.s.guard; g != nil {
			in.op, in.a = opJumpIf, g.slot
			if t.s.not {
				in.op = opJumpNot
			}
		}
		t.emit(in)
	case "ret":
		m.is("uni")
		t.carry = carryNone
		t.count(0)
		t.step.always = t.s.guard == nil
		t.emit(instr{op: opReturn})
	case "call":
		m.is("uni")
		t.carry = carryNone
		t.call()
	case "bar":
		if !m.is("sync") {
			t.fail("not supported")
		}
		if t.count(1) {
			t.emit(instr{op: opBarrier, a: t.read(args[0], 32)})
		}
	}
}

// call translates the instruction call (results), function, (arguments).
func (t *translator) call() {
	args := t.s.args
	c := &varCall{}
	// Some versions of LLVM write no comma between the results and the function. The list of
	// results is a single operand all the same.
	variables := func(list []operand) []*variable {
		var vs []*variable
		for _, o := range list {
			v := t.symbol(o.name).mem
			if o.kind != operandSymbol || v == nil || v.space != spaceParam || o.value != 0 {
				t.fail("an argument that is no parameter")
				continue
			}
			vs = append(vs, v)
		}
		return vs
	}
	if len(args) > 0 && args[0].kind == operandList {
		c.rets = variables(args[0].list)
		args = args[1:]
	}
	if len(args) == 0 || args[0].kind != operandSymbol || args[0].value != 0 {
		t.fail("only functions can be called that are known by name")
		return
	}
	c.name = args[0].name
	args = args[1:]
	if len(args) > 0 && args[0].kind == operandList {
		c.args = variables(args[0].list)
		args = args[1:]
	}
	c.callee = t.m.functions[c.name]
	switch {
	case len(args) > 0:
		t.fail("too many operands")
	case c.callee == nil || c.callee.entry:
		t.fail("%s is no function of this module", c.name)
	case !agree(c.args, c.callee.params) || !agree(c.rets, c.callee.rets):
		t.fail("the parameters of %s are others", c.name)
	}
	t.fn.calls = append(t.fn.calls, c)
	t.emit(instr{op: opCall, x: uint64(len(t.fn.calls) - 1)})
}

// agree reports whether two lists of variables have the same length, and variables at the same
// index have the same size.
func agree(vs, want []*variable) bool {
	if len(vs) != len(want) {
		return false
	}
	for i := range vs {
		if vs[i].size != want[i].size {
			return false
		}
	}
	return true
}
