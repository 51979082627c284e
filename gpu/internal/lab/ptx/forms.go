package ptx

import (
	"math/bits"
	"strings"
)

// A form describes an arithmetic instruction, a move, a comparison or a conversion.
type form struct {
	widths []int // of the operands d, a, b and c, in bits
	op     op
	fn     value // for opFn
	// in and out say whether the instruction reads and writes the carry.
	in, out bool
	swapped bool // the operands a and b are exchanged
}

// forms maps the opcodes of the kernels (PTX ISA 6.3, section 9.7) to their forms.
var forms = allForms()

func allForms() map[string]form {
	all := make(map[string]form)
	add := func(opcodes string, op op, fn value, widths ...int) {
		for _, name := range strings.Fields(opcodes) {
			all[name] = form{widths: widths, op: op, fn: fn}
		}
	}
	add("mov.u16", opMove, nil, 16, 16)
	add("mov.u32 mov.b32", opMove, nil, 32, 32)
	add("mov.u64 mov.b64", opMove, nil, 64, 64)
	add("mov.pred", opMove, nil, 1, 1)
	low16 := func(a, _, _ uint64) uint64 { return a & 0xffff }
	add("cvt.u32.u16", opFn, low16, 32, 16)
	add("cvt.u16.u32", opFn, low16, 16, 32)
	add("cvt.u64.u32", opLow32, nil, 64, 32)
	add("cvt.u32.u64", opLow32, nil, 32, 64)
	add("cvt.s64.s32", opFn, func(a, _, _ uint64) uint64 { return uint64(int32(a)) }, 64, 32)
	add("selp.b16", opSelect, nil, 16, 16, 16, 1)
	add("selp.b32 selp.u32 selp.s32", opSelect, nil, 32, 32, 32, 1)
	add("selp.b64 selp.s64", opSelect, nil, 64, 64, 64, 1)

	add("add.u32 add.s32", opAdd32, nil, 32, 32, 32)
	add("add.u64 add.s64", opAdd64, nil, 64, 64, 64)
	add("sub.u32 sub.s32", opSub32, nil, 32, 32, 32)
	add("sub.u64 sub.s64", opSub64, nil, 64, 64, 64)
	add("neg.s32", opFn, func(a, _, _ uint64) uint64 { return uint64(uint32(-a)) }, 32, 32)
	add("neg.s64", opFn, func(a, _, _ uint64) uint64 { return -a }, 64, 64)
	add("mul.lo.u32 mul.lo.s32", opMul32, nil, 32, 32, 32)
	add("mul.lo.u64 mul.lo.s64", opMul64, nil, 64, 64, 64)
	add("mul.hi.u32", opMulHigh32, nil, 32, 32, 32)
	add("mul.wide.u16", opMul64, nil, 32, 16, 16)
	add("mul.wide.u32", opMul64, nil, 64, 32, 32)
	add("mul.wide.s32", opFn, func(a, b, _ uint64) uint64 {
		return uint64(int64(int32(a)) * int64(int32(b)))
	}, 64, 32, 32)
	add("mad.lo.u32 mad.lo.s32", opMad32, nil, 32, 32, 32, 32)
	add("div.u32", opDivide, nil, 32, 32, 32)
	add("min.u32", opFn, func(a, b, _ uint64) uint64 { return min(a, b) }, 32, 32, 32)

	for name, op := range map[string]op{"and": opAnd, "or": opOr, "xor": opXor} {
		add(name+".pred", op, nil, 1, 1, 1)
		add(name+".b16", op, nil, 16, 16, 16)
		add(name+".b32", op, nil, 32, 32, 32)
		add(name+".b64", op, nil, 64, 64, 64)
	}
	add("not.pred", opFn, func(a, _, _ uint64) uint64 { return a ^ 1 }, 1, 1)
	add("not.b32", opFn, func(a, _, _ uint64) uint64 { return uint64(^uint32(a)) }, 32, 32)
	add("not.b64", opFn, func(a, _, _ uint64) uint64 { return ^a }, 64, 64)
	add("shl.b32", opShl32, nil, 32, 32, 32)
	add("shl.b64", opShl64, nil, 64, 64, 32)
	add("shr.u32 shr.b32", opShr, nil, 32, 32, 32)
	add("shr.u64 shr.b64", opShr, nil, 64, 64, 32)
	add("shr.s32", opFn, func(a, b, _ uint64) uint64 { return uint64(uint32(int32(a) >> b)) },
		32, 32, 32)
	add("shr.s64", opFn, func(a, b, _ uint64) uint64 { return uint64(int64(a) >> b) }, 64, 64, 32)
	add("shf.l.wrap.b32", opShiftLeftFunnel, nil, 32, 32, 32, 32)
	extract := func(a, b, c uint64) uint64 { return a >> (b & 0xff) & (1<<(c&0xff) - 1) }
	add("bfe.u32", opFn, extract, 32, 32, 32, 32)
	add("bfe.u64", opFn, extract, 64, 64, 32, 32)
	add("clz.b32", opFn, func(a, _, _ uint64) uint64 {
		return uint64(bits.LeadingZeros32(uint32(a)))
	}, 32, 32)

	for width, suffix := range map[int]string{16: "16", 32: "32", 64: "64"} {
		for _, class := range []string{".u", ".s", ".b"} {
			add("setp.eq"+class+suffix, opEqual, nil, 1, width, width)
			add("setp.ne"+class+suffix, opUnequal, nil, 1, width, width)
		}
		add("setp.lt.u"+suffix, opLess, nil, 1, width, width)
		add("setp.le.u"+suffix, opLessEqual, nil, 1, width, width)
		// Shifted to the top, a signed number is in the same order as an int64.
		up := 64 - width
		add("setp.lt.s"+suffix, opFn, func(a, b, _ uint64) uint64 {
			return bit(int64(a<<up) < int64(b<<up))
		}, 1, width, width)
		add("setp.le.s"+suffix, opFn, func(a, b, _ uint64) uint64 {
			return bit(int64(a<<up) <= int64(b<<up))
		}, 1, width, width)
		for _, class := range []string{".u", ".s"} {
			for name, opposite := range map[string]string{"gt": "lt", "ge": "le"} {
				f := all["setp."+opposite+class+suffix]
				f.swapped = true
				all["setp."+name+class+suffix] = f
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
	if f.swapped {
		in.a, in.b = in.b, in.a
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
