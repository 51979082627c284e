package ptx

import "strings"

// control translates branches, calls, returns and barriers.
func (t *translator) control(opcode string) {
	args := t.s.args
	t.carry = opNone
	if opcode == "bar.sync" {
		if t.count(1) {
			t.emit(instr{op: opBarrier, a: t.read(args[0], 32, false)})
		}
		return
	}
	switch strings.TrimSuffix(opcode, ".uni") {
	case "bra":
		if !t.count(1) {
			return
		}
		l := t.symbol(args[0].name).code
		if args[0].kind != operandSymbol || l == nil || args[0].value != 0 {
			t.fail("%s is no label", args[0].name)
			return
		}
		t.step.jump = l
		in := instr{op: opJump}
		if g := t.s.guard; g != nil {
			in.op, in.a = opJumpIf, g.slot
			if t.s.not {
				in.op = opJumpNot
			}
			t.step.reads = append(t.step.reads, g.slot)
		}
		t.emit(in)
	case "ret":
		t.count(0)
		t.emit(instr{op: opReturn})
	case "call":
		t.call()
	default:
		t.fail("not supported")
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
	name := args[0].name
	args = args[1:]
	if len(args) > 0 && args[0].kind == operandList {
		c.args = variables(args[0].list)
		args = args[1:]
	}
	c.callee = t.m.functions[name]
	switch {
	case len(args) > 0:
		t.fail("too many operands")
	case c.callee == nil || c.callee.entry:
		t.fail("%s is no function of this module", name)
	case !sameSizes(c.args, c.callee.params) || !sameSizes(c.rets, c.callee.rets):
		t.fail("the parameters of %s are others", name)
	}
	t.fn.calls = append(t.fn.calls, c)
	t.emit(instr{op: opCall, x: uint64(len(t.fn.calls) - 1)})
}
