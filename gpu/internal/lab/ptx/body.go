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
			p.declare(t)
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
	width, ok := widths[strings.TrimPrefix(kind, ".")]
	if !ok || width == 8 {
		p.fail(t.line, "registers of type %s are not supported", kind)
	}
	for p.err == nil {
		name := p.word()
		if !p.is("<") {
			p.register(t.line, name, width)
		} else {
			n := int(p.number())
			p.expect(">")
			for i := range n {
				p.register(t.line, name+itoa(i), width)
			}
		}
		if p.is(";") {
			return
		}
		p.expect(",")
	}
}

func (p *parser) register(line int, name string, width int) {
	r := &register{name, width, int32(len(p.fn.registers))}
	p.fn.registers = append(p.fn.registers, r)
	p.bind(line, name, symbol{reg: r})
}

// instruction parses a label or an instruction whose first token is t. An instruction with a guard
// that is no jump becomes a jump around the instruction without the guard.
func (p *parser) instruction(t token) {
	var guard *register
	not := false
	if t.text == "@" {
		not = p.is("!")
		g := p.peek()
		guard = p.predicate(g.line, p.word())
		t = p.take()
	}
	if t.kind != tokenWord {
		p.fail(t.line, "expected an instruction, found %q", t.text)
		return
	}
	if guard == nil && p.is(":") {
		p.label(t.line, t.text)
		return
	}
	s := statement{line: t.line, op: t.text}
	for !p.is(";") && p.err == nil {
		s.args = append(s.args, p.operand())
		if !p.is(",") {
			p.expect(";")
			break
		}
	}
	if guard == nil || strings.HasPrefix(t.text, "bra") {
		s.guard, s.not = guard, not
		p.add(s)
		return
	}
	after := "@" + itoa(len(p.fn.statements)) // no name in the text
	p.add(statement{line: t.line, op: "bra", guard: guard, not: !not,
		args: []operand{{kind: operandSymbol, name: after}}})
	p.add(s)
	p.label(t.line, after)
}

// label declares a label at the next statement.
func (p *parser) label(line int, name string) {
	p.bind(line, name, symbol{code: &label{len(p.fn.statements)}})
	p.add(statement{line: line, mark: markLabel})
}

// predicate returns the predicate register with the given name.
func (p *parser) predicate(line int, name string) *register {
	sym, _ := p.scope.find(name)
	if sym.reg == nil || sym.reg.width != 1 {
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
		case operandRegister, operandSymbol:
		default:
			p.fail(t.line, "no address between brackets")
		}
		o.kind = operandAddress
		return o
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
