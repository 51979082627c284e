package ptx

import (
	"math/bits"
	"strings"
)

// A form describes an arithmetic instruction, a move, a comparison or a conversion.
type form struct {
	widths []int // of the operands d, a, b and c, in bits
	op     op    // opFn, opDivide, or the operation of an instruction with a carry
	fn     value // for opFn
	// in and out say whether the instruction reads and writes the carry.
	in, out bool
}

// forms maps the opcodes of the kernels (PTX ISA 6.3, section 9.7) to their forms.
var forms = allForms()

func allForms() map[string]form {
	all := make(map[string]form)
	add := func(opcodes string, fn value, widths ...int) {
		for _, name := range strings.Fields(opcodes) {
			all[name] = form{widths: widths, op: opFn, fn: fn}
		}
	}
	first := func(a, _, _ uint64) uint64 { return a }
	low16 := func(a, _, _ uint64) uint64 { return a & 0xffff }
	low32 := func(a, _, _ uint64) uint64 { return uint64(uint32(a)) }
	add("mov.u16", first, 16, 16)
	add("mov.u32 mov.b32", first, 32, 32)
	add("mov.u64 mov.b64", first, 64, 64)
	add("mov.pred", first, 1, 1)
	add("cvt.u32.u16", low16, 32, 16)
	add("cvt.u16.u32", low16, 16, 32)
	add("cvt.u64.u32", low32, 64, 32)
	add("cvt.u32.u64", low32, 32, 64)
	add("cvt.s64.s32", func(a, _, _ uint64) uint64 { return uint64(int32(a)) }, 64, 32)
	choose := func(a, b, c uint64) uint64 {
		if c != 0 {
			return a
		}
		return b
	}
	add("selp.b16", choose, 16, 16, 16, 1)
	add("selp.b32 selp.u32 selp.s32", choose, 32, 32, 32, 1)
	add("selp.b64 selp.s64", choose, 64, 64, 64, 1)

	add("add.u32 add.s32", func(a, b, _ uint64) uint64 { return uint64(uint32(a + b)) }, 32, 32, 32)
	add("add.u64 add.s64", func(a, b, _ uint64) uint64 { return a + b }, 64, 64, 64)
	add("sub.u32 sub.s32", func(a, b, _ uint64) uint64 { return uint64(uint32(a - b)) }, 32, 32, 32)
	add("sub.u64 sub.s64", func(a, b, _ uint64) uint64 { return a - b }, 64, 64, 64)
	add("neg.s32", func(a, _, _ uint64) uint64 { return uint64(uint32(-a)) }, 32, 32)
	add("neg.s64", func(a, _, _ uint64) uint64 { return -a }, 64, 64)
	times := func(a, b, _ uint64) uint64 { return a * b }
	add("mul.lo.u32 mul.lo.s32", func(a, b, _ uint64) uint64 { return uint64(uint32(a * b)) },
		32, 32, 32)
	add("mul.lo.u64 mul.lo.s64", times, 64, 64, 64)
	add("mul.hi.u32", func(a, b, _ uint64) uint64 { return a * b >> 32 }, 32, 32, 32)
	add("mul.wide.u16", times, 32, 16, 16)
	add("mul.wide.u32", times, 64, 32, 32)
	add("mul.wide.s32", func(a, b, _ uint64) uint64 {
		return uint64(int64(int32(a)) * int64(int32(b)))
	}, 64, 32, 32)
	add("mad.lo.u32 mad.lo.s32", func(a, b, c uint64) uint64 { return uint64(uint32(a*b + c)) },
		32, 32, 32, 32)
	all["div.u32"] = form{widths: []int{32, 32, 32}, op: opDivide}
	add("min.u32", func(a, b, _ uint64) uint64 { return min(a, b) }, 32, 32, 32)

	for name, fn := range map[string]value{
		"and": func(a, b, _ uint64) uint64 { return a & b },
		"or":  func(a, b, _ uint64) uint64 { return a | b },
		"xor": func(a, b, _ uint64) uint64 { return a ^ b },
	} {
		add(name+".pred", fn, 1, 1, 1)
		add(name+".b16", fn, 16, 16, 16)
		add(name+".b32", fn, 32, 32, 32)
		add(name+".b64", fn, 64, 64, 64)
	}
	add("not.pred", func(a, _, _ uint64) uint64 { return a ^ 1 }, 1, 1)
	add("not.b32", func(a, _, _ uint64) uint64 { return uint64(^uint32(a)) }, 32, 32)
	add("not.b64", func(a, _, _ uint64) uint64 { return ^a }, 64, 64)
	add("shl.b32", func(a, b, _ uint64) uint64 { return uint64(uint32(a << b)) }, 32, 32, 32)
	add("shl.b64", func(a, b, _ uint64) uint64 { return a << b }, 64, 64, 32)
	right := func(a, b, _ uint64) uint64 { return a >> b }
	add("shr.u32 shr.b32", right, 32, 32, 32)
	add("shr.u64 shr.b64", right, 64, 64, 32)
	add("shr.s32", func(a, b, _ uint64) uint64 { return uint64(uint32(int32(a) >> b)) }, 32, 32, 32)
	add("shr.s64", func(a, b, _ uint64) uint64 { return uint64(int64(a) >> b) }, 64, 64, 32)
	add("shf.l.wrap.b32", func(a, b, c uint64) uint64 { return (b<<32 | a) << (c & 31) >> 32 },
		32, 32, 32, 32)
	extract := func(a, b, c uint64) uint64 { return a >> (b & 0xff) & (1<<(c&0xff) - 1) }
	add("bfe.u32", extract, 32, 32, 32, 32)
	add("bfe.u64", extract, 64, 64, 32, 32)
	add("clz.b32", func(a, _, _ uint64) uint64 {
		return uint64(bits.LeadingZeros32(uint32(a)))
	}, 32, 32)

	for width, suffix := range map[int]string{16: "16", 32: "32", 64: "64"} {
		for _, class := range []string{".u", ".s", ".b"} {
			// Shifted to the top, a signed number is in the same order as an int64.
			up, sign := 64-width, uint64(0)
			if class == ".s" {
				sign = 1 << 63
			}
			for name, fn := range map[string]func(a, b uint64) bool{
				"eq": func(a, b uint64) bool { return a == b },
				"ne": func(a, b uint64) bool { return a != b },
				"lt": func(a, b uint64) bool { return a<<up^sign < b<<up^sign },
				"le": func(a, b uint64) bool { return a<<up^sign <= b<<up^sign },
				"gt": func(a, b uint64) bool { return a<<up^sign > b<<up^sign },
				"ge": func(a, b uint64) bool { return a<<up^sign >= b<<up^sign },
			} {
				if class != ".b" || name == "eq" || name == "ne" {
					add("setp."+name+class+suffix, func(a, b, _ uint64) uint64 { return bit(fn(a, b)) },
						1, width, width)
				}
			}
		}
	}
	for name, op := range map[string]op{"add": opAddCarry, "sub": opSubCarry} {
		carried(all, name, "", form{widths: []int{32, 32, 32}, op: op})
	}
	for mode, op := range map[string]op{".lo": opMadCarry, ".hi": opMadHighCarry} {
		carried(all, "mad", mode, form{widths: []int{32, 32, 32, 32}, op: op})
	}
	return all
}

// carried adds the forms of an instruction that write the carry, read it, or do both.
func carried(all map[string]form, name, mode string, f form) {
	f.out = true
	all[name+mode+".cc.u32"] = f
	f.in = true
	all[name+"c"+mode+".cc.u32"] = f
	f.out = false
	all[name+"c"+mode+".u32"] = f
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// compute translates an instruction that is in forms.
func (t *translator) compute() {
	f, ok := forms[t.s.op]
	if !ok {
		t.fail("not supported")
		return
	}
	args := t.s.args
	if !t.count(len(f.widths)) {
		return
	}
	in := instr{op: f.op, fn: f.fn, x: bit(f.in)}
	wider := strings.HasPrefix(t.s.op, "cvt.") // it converts the low bits of a register
	for i, slot := range []*int32{&in.a, &in.b, &in.c}[:len(args)-1] {
		*slot = t.read(args[i+1], f.widths[i+1], wider)
	}
	in.d = t.write(args[0], f.widths[0], false)
	if kind := f.op; f.in || f.out {
		if kind != opSubCarry {
			kind = opAddCarry
		}
		if f.in && t.carry != kind {
			t.fail("the carry is not defined here, or is that of another kind of instruction")
		}
		if t.carry = opNone; f.out {
			t.carry = kind
		}
	}
	t.emit(in)
}
