package ptx

// memory translates instructions that access memory (loads, stores, atomic operations) and those
// that convert addresses of spaces.
func (t *translator) memory(name string, m *modifiers) {
	where := t.space(m)
	switch name {
	case "ld":
		t.load(where, m)
	case "st":
		t.store(where, m)
	case "atom":
		t.atomic(where, m)
	case "cvta":
		t.spaces(where, m)
	}
}

func (t *translator) space(m *modifiers) space {
	for s := spaceGlobal; s <= spaceParam; s++ {
		if m.is(s.String()) {
			return s
		}
	}
	return spaceGeneric
}

// vector consumes the modifier .v2 or .v4 and returns the number of elements, which is 1 without
// either.
func vector(m *modifiers) int {
	switch m.one("v2", "v4") {
	case "v2":
		return 2
	case "v4":
		return 4
	}
	return 1
}

// at returns the slot of the register in an address, and the offset that is added to it. If the
// address is the name of a parameter, it returns the parameter's offset and sets ok.
func (t *translator) at(o operand, where space, bytes int) (slot int32, offset uint64, ok bool) {
	if o.kind != operandAddress {
		t.fail("an address without brackets")
		return 0, 0, false
	}
	switch {
	case o.reg != nil:
		o.kind = operandRegister
		offset, o.value = o.value, 0
		return t.read(o, 64), offset, false
	case o.name == "":
		return t.constant(o.value), 0, false
	}
	v := t.symbol(o.name).mem
	if v == nil {
		t.fail("%s is not declared", o.name)
		return 0, 0, false
	}
	if v.space != where {
		t.fail("%s is in the space %v", o.name, v.space)
	}
	if o.value > uint64(v.size) || uint64(v.size)-o.value < uint64(bytes) {
		t.fail("%d bytes at offset %d of %s, which has %d", bytes, int64(o.value), o.name, v.size)
	}
	if where == spaceParam {
		return 0, v.addr + o.value, true
	}
	return t.address(v, o.value), 0, false
}

// elements returns the n operands of a vector, or just o if n is 1.
func (t *translator) elements(o operand, n int) []operand {
	if n == 1 {
		return []operand{o}
	}
	if o.kind != operandVector || len(o.list) != n {
		t.fail("no vector of %d", n)
		return nil
	}
	return o.list
}

func (t *translator) load(where space, m *modifiers) {
	m.is("volatile") // accesses are in order: work items run one after another
	n := vector(m)
	tp := t.typ(m, 8, 16, 32, 64)
	if tp.signed() {
		t.fail("not supported")
	}
	if !t.count(2) {
		return
	}
	slot, offset, param := t.at(t.s.args[1], where, n*tp.bytes())
	list := t.elements(t.s.args[0], n)
	if n > 1 && t.failed == nil {
		// Loading the first element may overwrite the register that holds the address.
		for _, o := range list {
			if o.reg != nil && o.reg == t.s.args[1].reg {
				s := t.scratch()
				t.emit(instr{op: opMove, a: slot, d: s})
				slot = s
				break
			}
		}
	}
	for i, o := range list {
		in := instr{op: opLoad, where: where, width: uint8(tp.bytes()), a: slot,
			x: offset + uint64(i*tp.bytes())}
		if i == 0 {
			in.alignment = uint8(n * tp.bytes())
		}
		if param {
			in.op = opLoadParam
		}
		in.d = t.writeMost(o, tp.width, true)
		t.emit(in)
	}
}

func (t *translator) store(where space, m *modifiers) {
	m.is("volatile") // accesses are in order: work items run one after another
	n := vector(m)
	tp := t.typ(m, 8, 16, 32, 64)
	if !t.count(2) {
		return
	}
	slot, offset, param := t.at(t.s.args[0], where, n*tp.bytes())
	for i, o := range t.elements(t.s.args[1], n) {
		in := instr{op: opStore, where: where, width: uint8(tp.bytes()), a: slot,
			x: offset + uint64(i*tp.bytes())}
		if i == 0 {
			in.alignment = uint8(n * tp.bytes())
		}
		if param {
			in.op = opStoreParam
		}
		in.b = t.readMost(o, tp.width, true)
		t.emit(in)
	}
}

func (t *translator) atomic(where space, m *modifiers) {
	add := m.is("add")
	tp := t.typ(m, 32, 64)
	f := addValue(tp)
	if !add && m.is("or") {
		f = func(a, b, _ uint64) uint64 { return a | b }
	}
	if add == (tp.class == 'b') || where == spaceParam || where == spaceLocal {
		t.fail("no such operation for the type or the space")
		return
	}
	if !t.count(3) {
		return
	}
	args := t.s.args
	in := instr{op: opAtomic, where: where, width: uint8(tp.bytes()), alignment: uint8(tp.bytes()),
		fn: f}
	in.a, in.x, _ = t.at(args[1], where, tp.bytes())
	in.b, in.d = t.read(args[2], tp.width), t.write(args[0], tp.width)
	t.emit(in)
}

// spaces translates cvta, which converts an address of a space to a generic address or back.
func (t *translator) spaces(where space, m *modifiers) {
	if where == spaceGeneric || where == spaceParam {
		t.fail("no space")
		return
	}
	in := instr{op: opToGeneric, where: where}
	if m.is("to") {
		in.op = opFromGeneric
	}
	t.typ(m, 64)
	if t.count(2) {
		in.a = t.read(t.s.args[1], 64)
		in.d = t.write(t.s.args[0], 64)
		t.emit(in)
	}
}
