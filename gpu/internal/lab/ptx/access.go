package ptx

import "slices"

// An access is the part of an opcode after its name, such as global.v4.u32.
type access struct {
	space     space
	vector    int    // number of elements of a vector, or 1
	operation string // of an atomic operation, or "to" for cvta
	class     byte   // of the type: 'u', 's' or 'b'
	bytes     int    // of an element
}

// memory translates instructions that access memory (loads, stores, atomic operations) and those
// that convert addresses of spaces.
func (t *translator) memory(name string, parts []string) {
	kind := parts[len(parts)-1]
	a := access{vector: 1, class: (kind + "?")[0], bytes: widths[kind] / 8}
	if a.bytes == 0 {
		t.fail("no such type here")
		return
	}
	for i, part := range parts[:len(parts)-1] {
		switch where := slices.Index(spaceNames[:], part); {
		case where > 0 && a.space == spaceGeneric:
			a.space = space(where)
		case part == "v2" || part == "v4":
			a.vector = int(part[1] - '0')
		case part == "volatile" && i == 0: // accesses are in order: work items run one after another
		case (name == "atom" || name == "cvta") && a.operation == "":
			a.operation = part
		default:
			t.fail("modifier .%s is not supported", part)
		}
	}
	switch name {
	case "ld":
		t.load(a)
	case "st":
		t.store(a)
	case "atom":
		t.atomic(a)
	case "cvta":
		t.spaces(a)
	}
}

// at returns the slot of the register or the constant in an address, and the offset that is added
// to it.
func (t *translator) at(o operand, where space, bytes int) (slot int32, offset uint64) {
	if o.kind != operandAddress {
		t.fail("an address without brackets")
		return 0, 0
	}
	if o.reg != nil {
		return t.read(operand{reg: o.reg}, 64, false), o.value
	}
	v := t.symbol(o.name).mem
	if v == nil {
		t.fail("%s is not declared", o.name)
		return 0, 0
	}
	if v.space != where {
		t.fail("%s is in the space %v", o.name, v.space)
	}
	if o.value > uint64(v.size) || uint64(v.size)-o.value < uint64(bytes) {
		t.fail("%d bytes at offset %d of %s, which has %d", bytes, int64(o.value), o.name, v.size)
	}
	return t.address(v, o.value), 0
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

// each translates a load or a store of every element of a. list holds the element, or all of them
// in braces, and where the address. do completes the instruction for an element.
func (t *translator) each(a access, op op, list, where operand, do func(in *instr, o operand)) {
	slot, offset := t.at(where, a.space, a.vector*a.bytes)
	for i, o := range t.elements(list, a.vector) {
		in := instr{op: op, where: a.space, width: uint8(a.bytes), a: slot,
			x: offset + uint64(i*a.bytes)}
		if i == 0 {
			in.alignment = uint8(a.vector * a.bytes)
		}
		do(&in, o)
		t.emit(in)
	}
}

func (t *translator) load(a access) {
	if a.class == 's' {
		t.fail("not supported")
	}
	if t.count(2) {
		t.each(a, opLoad, t.s.args[0], t.s.args[1], func(in *instr, o operand) {
			if in.d = t.write(o, 8*a.bytes, true); a.vector > 1 && o.reg == t.s.args[1].reg {
				t.fail("the vector contains its address")
			}
		})
	}
}

func (t *translator) store(a access) {
	if t.count(2) {
		t.each(a, opStore, t.s.args[1], t.s.args[0], func(in *instr, o operand) {
			in.b = t.read(o, 8*a.bytes, true)
		})
	}
}

func (t *translator) atomic(a access) {
	f := map[string]value{
		"add.u": func(a, b, _ uint64) uint64 { return uint64(uint32(a + b)) },
		"or.b":  func(a, b, _ uint64) uint64 { return a | b },
	}[a.operation+"."+string(a.class)]
	if f == nil || a.bytes != 4 || a.vector != 1 || a.space == spaceParam || a.space == spaceLocal {
		t.fail("no such operation for the type or the space")
		return
	}
	if !t.count(3) {
		return
	}
	args := t.s.args
	in := instr{op: opAtomic, where: a.space, width: 4, alignment: 4, fn: f}
	in.a, in.x = t.at(args[1], a.space, 4)
	in.b, in.d = t.read(args[2], 32, false), t.write(args[0], 32, false)
	t.emit(in)
}

// spaces translates cvta, which converts an address of a space to a generic address or back.
func (t *translator) spaces(a access) {
	if a.space == spaceGeneric || a.space == spaceParam || a.bytes != 8 {
		t.fail("no space, or no address")
		return
	}
	difference := base(a.space)
	if a.operation == "to" {
		difference = -difference
	}
	in := instr{op: opFn, fn: func(addr, _, _ uint64) uint64 { return addr + difference }}
	if t.count(2) {
		in.a = t.read(t.s.args[1], 64, false)
		in.d = t.write(t.s.args[0], 64, false)
		t.emit(in)
	}
}
