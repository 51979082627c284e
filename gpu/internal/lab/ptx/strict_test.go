package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestRefused checks that Parse returns an error for faults that are visible in the text, and that
// the error names the line.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"opcode", "bogus.u32 %r1, 1;", "bogus.u32: not supported"},
		{"modifier", "ld.global.cg.u32 %r1, [%d1];", "modifier .cg is not supported"},
		{"type of a load", "ld.global.f32 %r1, [%d1];", "no such type"},
		{"signed load", "ld.global.s32 %r1, [%d1];", "not supported"},
		{"atomic type", "atom.global.add.u64 %d1, [%d1], %d2;", "no such operation"},
		{"vector over its address", "ld.global.v2.u64 {%d1, %d2}, [%d1];", "contains its address"},
		{"width", "add.u64 %d1, %d1, %r1;", "%r1 has 32 bits instead of 64"},
		{"wider", "add.u32 %r1, %d1, 1;", "%d1 has 64 bits instead of 32"},
		{"result's width", "add.u32 %d1, 1, 2;", "%d1 has 64 bits instead of 32"},
		{"undeclared", "mov.u32 %r1, %x7;", "%x7 is not declared"},
		{"clock", "mov.u32 %r1, %clock;", "no special register known"},
		{"constant", "mov.u32 %r1, 4294967296;", "does not fit"},
		{"operands", "add.u32 %r1, 1;", "2 operands instead of 3"},
		{"constant written", "mov.u32 5, 5;", "cannot be written"},
		{"label", "bra nowhere;", "nowhere is no label"},
		{"carry of nothing", "addc.u32 %r1, 1, 2;", "the carry is not defined here"},
		{"carry of an addition", "add.cc.u32 %r1, 1, 2;\nsubc.u32 %r1, 1, 2;",
			"the carry is not defined here"},
		{"carry over a label", "add.cc.u32 %r1, 1, 2;\nL: addc.u32 %r1, 1, 2;",
			"the carry is not defined here"},
		{"carry over a jump", "add.cc.u32 %r1, 1, 2;\n@%p1 bra L;\naddc.u32 %r1, 1, 2;\nL:",
			"the carry is not defined here"},
		{"carry over a barrier", "add.cc.u32 %r1, 1, 2;\nbar.sync 0;\naddc.u32 %r1, 1, 2;",
			"the carry is not defined here"},
		{"carry out of assembly",
			"// begin inline asm\nadd.cc.u32 %r1, 1, 2;\n// end inline asm\naddc.u32 %r1, 1, 2;",
			"the carry is not defined here"},
		{"carry that may be", "@%p1 add.cc.u32 %r1, 1, 2;\naddc.u32 %r1, 1, 2;",
			"the carry is not defined here"},
		{"carry used twice", "add.cc.u32 %r1, 1, 2;\naddc.u32 %r1, 1, 2;\naddc.u32 %r1, 1, 2;",
			"the carry is not defined here"},
		{"parameter's bounds", "ld.param.u64 %d1, [a+4];", "8 bytes at offset 4 of a"},
		{"parameter before", "ld.param.u32 %r1, [a-4];", "bytes at offset -4 of a"},
		{"space", "ld.global.u32 %r1, [a];", "a is in the space param"},
		{"shared bounds", ".shared .align 4 .b8 s[8];\nld.shared.u32 %r1, [s+8];",
			"4 bytes at offset 8 of s"},
		{"no function", "call.uni f, ();", "f is no function"},
		{"twice", ".reg .b32 %r1;", "%r1 is declared twice"},
		{"scoped", "{ .reg .u32 t; mov.u32 t, 1; }\nmov.u32 %r1, t;", "t is not declared"},
		{"no end", "mov.u32 %r1, 1", "expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(header + ".func g()\n{\nret;\n}\n" +
				".entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n" +
				".reg .b32 %r<4>;\n.reg .b64 %d<4>;\n" + c.body + "\nret;\n}\n")
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), "ptx: line ") {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	for name, c := range map[string][2]string{
		"character": {header + "#", "unexpected character"},
		"string":    {header + ".entry k()\n{\n.pragma \"a;\n}", "no end"},
		"addresses": {".address_size 32\n", "addresses of 32 bits"},
		"open":      {header + ".entry k()\n{\nret;\n", "no end"},
		"arguments": {header + ".func f(.param .b32 x)\n{\nret;\n}\n.entry k()\n{\n{\n" +
			".param .b64 y;\ncall f, (y);\n}\nret;\n}\n", "the parameters of f are others"},
	} {
		if _, err := Parse(c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: error %v, want %q", name, err, c[1])
		}
	}
}

// TestFaults checks that errors at run time are reported with the line and the work item.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"undefined", "add.u32 %r2, %r1, 1;", "register %r1 is not defined"},
		{"undefined on one way", "setp.eq.u64 %p1, %in, 0;\n@%p1 mov.u32 %r1, 1;\n" +
			"add.u32 %r2, %r1, 1;", "register %r1 is not defined"},
		{"undefined on the way by a jump", "setp.ne.u64 %p1, %in, 0;\n@%p1 bra A;\n" +
			"mov.u32 %r1, 1;\nA: add.u32 %r2, %r1, 1;", "register %r1 is not defined"},
		{"undefined guard", "@%p3 mov.u32 %r1, 1;", "register %p3 is not defined"},
		{"undefined again", "mov.u32 %r1, 0;\nA:\n{\n.reg .u32 t;\nsetp.eq.u32 %p1, %r1, 0;\n" +
			"@%p1 mov.u32 t, 5;\nadd.u32 %r1, %r1, t;\n}\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra A;",
			"register t is not defined"},
		{"behind", "ld.global.u32 %r1, [%in+256];", "offset 256 of an allocation of 256"},
		{"before", "ld.global.u32 %r1, [%in-4];", "4 bytes at global address"},
		{"vector behind", "ld.global.v2.u64 {%d1, %d2}, [%in+256];", "an allocation of 256"},
		{"alignment", "ld.global.u32 %r1, [%in+2];", "wrong alignment"},
		{"alignment of a vector", "ld.global.v2.u32 {%r1, %r2}, [%in+4];", "wrong alignment"},
		{"shared without cvta", ".shared .align 4 .b8 s[8];\nmov.u64 %d1, s;\nld.u32 %r1, [%d1];",
			"outside of every allocation"},
		{"local", ".local .align 4 .b8 s[8];\nmov.u64 %d1, s;\nst.local.u32 [%d1+8], 1;",
			"outside of the local memory"},
		{"shared", ".shared .align 4 .b8 s[8];\nmov.u64 %d1, s;\nst.shared.u32 [%d1+8], 1;",
			"outside of the group's shared memory"},
		{"shared before", ".shared .align 4 .b8 s[8];\nmov.u64 %d1, s;\nst.shared.u32 [%d1-4], 1;",
			"outside of the group's shared memory"},
		{"shared not written", ".shared .align 4 .b8 s[8];\nld.shared.u32 %r1, [s+4];",
			"was never written"},
		{"division", "mov.u32 %r1, 0;\ndiv.u32 %r1, 5, %r1;", "division by zero"},
		{"loop", "A:\nbra A;", "more instructions than the limit"},
		{"recursion", "call.uni f;", "too many calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := header + ".func f()\n{\ncall.uni f;\nret;\n}\n"
			text := before + strings.TrimPrefix(program(c.body+"\n", 32, nil), header)
			text = strings.Replace(text, "st.global.u32 [%out], %r0;\n", "", 1)
			_, err := run(parse(t, text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			var line int
			if n, _ := fmt.Sscanf(err.Error(), "ptx: k: line %d", &line); n != 1 || line < 10 &&
				c.name != "recursion" {
				t.Errorf("%v does not say where", err)
			}
		})
	}
}

// TestFreed checks that freed memory cannot be accessed, and its address is not reused.
func TestFreed(t *testing.T) {
	mem := NewMemory(1 << 10)
	addr, err := mem.Alloc(256)
	if err := errors.Join(err, mem.Free(addr)); err != nil {
		t.Fatal(err)
	}
	if again, err := mem.Alloc(256); err != nil || again == addr {
		t.Errorf("%#x after %#x, %v", again, addr, err)
	}
	if _, err := mem.Bytes(addr, 1); err == nil || !strings.Contains(err.Error(),
		"memory that was freed") {
		t.Errorf("error %v", err)
	}
	for _, addr := range []uint64{addr, 0, 5, addr + 1, 99 << windowBits} {
		if mem.Free(addr) == nil {
			t.Errorf("%#x can be freed", addr)
		}
	}
	if _, err := mem.Alloc(1<<10 - 255); err != ErrMemory {
		t.Errorf("error %v", err)
	}
}

// TestLaunchChecks checks that Call refuses arguments and sizes that do not fit the kernel.
func TestLaunchChecks(t *testing.T) {
	m := parse(t, header+".entry k(.param .u64 a)\n.maxntid 64, 1, 1\n{\nret;\n}\n")
	a := uint64(1)
	for name, c := range map[string]struct {
		groups, items uint32
		args          []any
		good          bool
	}{
		"good": {2, 64, []any{a}, true}, "no groups": {0, 64, []any{a}, false},
		"too many items": {2, 65, []any{a}, false}, "no arguments": {2, 64, nil, false},
	} {
		_, err := m.Call("k", Launch{Groups: c.groups, Items: c.items}, c.args...)
		if (err == nil) != c.good {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
