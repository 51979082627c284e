package ptx

import "strings"

// statements parses a body or an inner scope up to its closing brace.
func (p *parser) statements() {
	for !p.is("}") && p.err == nil {
		t := p.take()
		switch {
		case t.kind == tokenEnd:
			p.fail(t.line, "a body has no end")
		case t.kind == tokenBlock:
			p.add(statement{line: t.line, mark: markAsm})
		case t.text == ";":
		case t.text == "{":
			outer := p.scope
			p.scope = &scope{outer: outer, names: make(map[string]symbol)}
			at := len(p.fn.statements)
			first := len(p.fn.registers)
			p.add(statement{line: t.line, mark: markScope})
			p.statements()
			if p.err == nil {
				p.fn.statements[at].regs = p.fn.registers[first:]
			}
			p.scope = outer
		case t.text == ".reg":
			p.registers(t)
		case t.text == ".local", t.text == ".shared", t.text == ".param":
			p.declare(t, p.scope)
		case t.text == ".pragma":
			for !p.is(";") && p.more() {
				p.take()
			}
		case t.text == "@", t.kind == tokenWord:
			p.instruction(t)
		default:
			p.fail(t.line, "unexpected %q", t.text)
		}
	}
}

func (p *parser) add(s statement) {
	s.scope = p.scope
	p.fn.statements = append(p.fn.statements, s)
}

// registers parses the rest of a declaration .reg .type name, name<n>, …;
func (p *parser) registers(t token) {
	kind := p.word()
	tp, ok := typeNames[strings.TrimPrefix(kind, ".")]
	if !ok || tp.width == 8 {
		// Float registers may be declared: LLVM declares them in functions that only move floats.
		// Instructions that compute with floats are refused.
		switch kind {
		case ".f32":
			tp = typ{'b', 32}
		case ".f64":
			tp = typ{'b', 64}
		default:
			p.fail(t.line, "registers of type %s are not supported", kind)
		}
	}
	for p.err == nil {
		name := p.word()
		if !p.is("<") {
			p.register(t.line, name, tp)
		} else {
			n := p.size(maxRegisters)
			p.expect(">")
			for i := range n {
				p.register(t.line, name+itoa(i), tp)
			}
		}
		if p.is(";") {
			return
		}
		p.expect(",")
	}
}

func (p *parser) register(line int, name string, t typ) {
	if len(p.fn.registers) >= maxRegisters {
		p.fail(line, "more than %d registers", maxRegisters)
		return
	}
	r := &register{name, t, int32(len(p.fn.registers))}
	p.fn.registers = append(p.fn.registers, r)
	p.bind(p.scope, line, name, symbol{reg: r})
}

// instruction parses a label or an instruction whose first token is t.
func (p *parser) instruction(t token) {
	s := statement{line: t.line}
	if t.text == "@" {
		s.not = p.is("!")
		g := p.peek()
		s.guard = p.predicate(g.line, p.word())
		t = p.take()
		s.line = t.line
	}
	if t.kind != tokenWord {
		p.fail(t.line, "expected an instruction, found %q", t.text)
		return
	}
	if s.guard == nil && p.is(":") {
		l := &label{t.text, len(p.fn.statements)}
		p.fn.labels = append(p.fn.labels, l)
		p.bind(p.scope, t.line, t.text, symbol{code: l})
		p.add(statement{line: t.line, mark: markLabel})
		return
	}
	s.op = t.text
	for !p.is(";") && p.err == nil {
		s.args = append(s.args, p.operand())
		if !p.is(",") {
			p.expect(";")
			break
		}
	}
	p.add(s)
}

// predicate returns the predicate register with the given name.
func (p *parser) predicate(line int, name string) *register {
	sym, _ := p.scope.find(name)
	if sym.reg == nil || sym.reg.typ.class != 'p' {
		p.fail(line, "%s is not a predicate", name)
		return nil
	}
	return sym.reg
}

// list parses operands up to the closing token.
func (p *parser) list(closing string) []operand {
	var list []operand
	for !p.is(closing) && p.err == nil {
		list = append(list, p.operand())
		if !p.is(",") {
			p.expect(closing)
			break
		}
	}
	return list
}

// operand parses one operand.
func (p *parser) operand() operand {
	t := p.peek()
	switch {
	case p.is("{"):
		return operand{kind: operandVector, list: p.list("}")}
	case p.is("("):
		return operand{kind: operandList, list: p.list(")")}
	case p.is("["):
		o := p.operand()
		p.expect("]")
		switch o.kind {
		case operandRegister, operandSymbol, operandConstant:
		default:
			p.fail(t.line, "no address between brackets")
		}
		if o.neg {
			p.fail(t.line, "no address between brackets")
		}
		o.kind = operandAddress
		return o
	case p.is("!"):
		return operand{reg: p.predicate(t.line, p.word()), neg: true}
	case t.text == "-" || t.kind == tokenNumber:
		return operand{kind: operandConstant, value: p.signed()}
	case t.kind != tokenWord:
		p.fail(t.line, "expected an operand, found %q", t.text)
		return operand{}
	}
	name := p.word()
	o := operand{kind: operandSymbol, name: name}
	if sym, ok := p.scope.find(name); ok && sym.reg != nil {
		o = operand{reg: sym.reg, name: name}
	} else if !ok && strings.HasPrefix(name, "%") {
		o.kind = operandSpecial
	}
	if p.is("+") || p.peek().text == "-" {
		o.value = p.signed()
	}
	return o
}
