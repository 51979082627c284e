package ptx

import (
	"strings"
	"testing"
)

// TestGroups checks that barriers and shared memory work in a group of several work items, and that
// a program that misuses them fails with an error.
func TestGroups(t *testing.T) {
	const begin = header + ".func f()\n{\nbar.sync 0;\nret;\n}\n" +
		".entry k(.param .u64 in, .param .u64 out)\n{\n.reg .pred %p<3>;\n" +
		".reg .b32 %r<9>;\n.reg .b64 %d<5>;\n.shared .align 4 .b8 s[64];\n" +
		"mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nld.param.u64 %d1, [out];\n" +
		"mov.u64 %d2, s;\nmul.wide.u32 %d3, %r1, 4;\nadd.u64 %d3, %d3, %d2;\n"
	for _, c := range []struct{ name, body, want string }{
		{"barrier that one misses", "@%p1 ret;\nbar.sync 0;", "not every work item reaches"},
		{"barriers that differ", "@%p1 bra A;\nbar.sync 0;\nret;\nA: bar.sync 0;",
			"another work item does not wait"},
		{"numbers that differ", "bar.sync %r1;", "another work item does not wait"},
		{"barriers of other functions", "@%p1 bra A;\ncall f;\nret;\nA: bar.sync 0;",
			"another work item does not wait"},
		{"undefined in one", "@%p1 mov.u32 %r2, 1;\nadd.u32 %r3, %r2, 1;",
			"item 1: register %r2 is not defined"},
		{"two write", "st.shared.u32 [s], %r1;", "a race"},
		{"one writes, one reads", "st.shared.u32 [%d3], 1;\nld.shared.u32 %r2, [s];", "a race"},
		{"another group has written", "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p2, %r2, 0;\n" +
			"@%p2 st.shared.u32 [%d3], 1;\nld.shared.u32 %r2, [%d3];", "was never written"},
		{"atomic", "@%p1 st.shared.u32 [s], 1;\nbar.sync 0;\n" +
			"atom.shared.add.u32 %r2, [s], 1;\nbar.sync 0;\nld.shared.u32 %r3, [s];\n", ""},
		{"in turn", "@%p1 st.shared.u32 [s], 1;\nbar.sync 0;\n" +
			"@!%p1 st.shared.u32 [%d3], 2;\nld.shared.u32 %r3, [s];\nbar.sync 1;\n" +
			"ld.shared.u32 %r2, [s+4];", ""},
	} {
		m, err := Parse(begin + c.body + "\nret;\n}\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		_, err = m.Call("k", Launch{Groups: 2, Items: 4}, make([]byte, 64), make([]byte, 64))
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestGlobalRaces checks that races in global memory between work items of one launch are errors.
// The launch has two groups of four work items.
func TestGlobalRaces(t *testing.T) {
	const begin = header + ".entry k(.param .u64 mem)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n" +
		".reg .b64 %d<5>;\nld.param.u64 %d1, [mem];\nmov.u32 %r1, %tid.x;\n" +
		"mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 4, %r1;\n" +
		"mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d2, %d1;\n" + // address of a word for each work item
		"mul.wide.u32 %d3, %r2, 16;\nadd.u64 %d3, %d3, %d1;\n" + // address of the first word of the group
		"setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r3, 0;\nsetp.eq.u32 %p3, %r3, 7;\n"
	const own, group, first = "[%d2]", "[%d3]", "[%d1]"
	load := func(where string) string { return "ld.global.u32 %r4, " + where + ";\n" }
	store := func(where string) string { return "st.global.u32 " + where + ", %r1;\n" }
	add := func(where string) string { return "atom.global.add.u32 %r4, " + where + ", 1;\n" }
	const barrier = "bar.sync 0;\n"
	for _, c := range []struct {
		name, body string
		race       bool
	}{
		{"own words", store(own) + load(own) + store(own), false},
		{"all read", load(first) + barrier + load(first), false},
		{"all write", store(first), true},
		{"one writes and reads", "@%p2 " + store(first) + "@%p2 " + load(first), false},
		{"own bytes of a word", "st.global.u8 [%d2+1], %r1;\nst.global.u8 [%d2], %r1;\n", false},
		{"the neighbour's byte", "st.global.u8 [%d2+4], %r1;\nst.global.u8 [%d2], %r1;\n", true},
		{"one writes, its group reads", "@%p1 " + store(group) + barrier + load(group), false},
		{"without a barrier", "@%p1 " + store(group) + load(group), true},
		{"reads before the last writes", load(group) + "@%p3 " + store(group), true},
		{"reads, a barrier, a write", load(group) + barrier + "@%p1 " + store(group), false},
		{"writes in turn", "@%p1 " + store(group) + barrier + "@!%p1 " + store(own), false},
		{"one writes, all groups read", "@%p2 " + store(first) + barrier + load(first), true},
		{"all groups read, the last writes", load(first) + barrier + "@%p3 " + store(first), true},
		{"the first reads, the last reads and writes", "@%p2 " + load(first) + "@%p3 " + load(first) +
			barrier + "@%p3 " + store(first), true},
		{"a group writes, the next as well", "@%p1 " + store(first), true},
		{"atomic", add(first) + barrier + add(first), false},
		{"atomic, then read", add(first) + barrier + load(first), true},
		{"atomic in a group, then read", add(group) + barrier + load(group), false},
		{"atomic and read", add(group) + "@%p1 " + load(group), true},
		{"atomic and written", add(group) + "@%p3 " + store(group), true},
		{"written and atomic", "@%p1 " + store(group) + add(group), true},
		{"written, then atomic", "@%p1 " + store(group) + barrier + add(group), false},
		{"written by one, then atomic in all", "@%p2 " + store(first) + barrier + add(first), true},
	} {
		m, err := Parse(begin + c.body + "ret;\n}\n")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		mem := NewMemory(1 << 20)
		at, err := mem.Alloc(64)
		if err != nil {
			t.Fatal(err)
		}
		params := make([]byte, 8)
		put(params, at)
		for i := range 3 { // accesses of different launches are not a race
			_, err := m.Run(mem, m.kernels[0], Launch{Groups: 2, Items: 4, Params: params})
			if c.race != (err != nil && strings.Contains(err.Error(), "a race")) {
				t.Errorf("%s, launch %d: error %v", c.name, i, err)
			}
		}
	}
}

// TestItems checks that each work item of several groups sees its own indices, and never sees the
// local memory of a work item that ran before it.
func TestItems(t *testing.T) {
	const text = header + ".entry k(.param .u64 out)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<5>;\n" +
		".param .b32 p;\n.local .align 4 .b8 l[4];\n" +
		"ld.param.u32 %r1, [p];\nld.local.u32 %r2, [l];\nmov.u32 %r3, %ntid.x;\n" +
		"st.param.u32 [p], 5;\nst.local.u32 [l], 5;\n" +
		"mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r4, %r4, %r3, %tid.x;\nld.param.u64 %d1, [out];\n" +
		"mul.wide.u32 %d2, %r4, 16;\nadd.u64 %d1, %d1, %d2;\n" +
		"st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};\nret;\n}\n"
	out := make([]byte, 16*6*35)
	if _, err := parse(t, text).Call("k", Launch{Groups: 6, Items: 35}, out); err != nil {
		t.Fatal(err)
	}
	for i := range 6 * 35 {
		words := [4]uint32{}
		for k := range words {
			words[k] = uint32(get(out[16*i+4*k:][:4]))
		}
		if want := [4]uint32{0, 0xa5a5a5a5, 35, uint32(i)}; words != want {
			t.Fatalf("item %d: %x, want %x", i, words, want)
		}
	}
}

// TestCounts checks that each executed instruction is counted once, even if it loads or stores a
// vector. Work item 0 skips four instructions.
func TestCounts(t *testing.T) {
	const text = header +
		".func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n" +
		"ld.param.u32 %r1, [x];\nmul.lo.u32 %r1, %r1, 3;\nst.param.b32 [r], %r1;\nret;\n}\n" +
		".entry k(.param .u64 out)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %d<5>;\n" +
		"mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra N;\n" +
		"mad.lo.cc.u32 %r2, %r1, %r1, %r1;\nmadc.hi.u32 %r3, %r1, %r1, %r1;\n" +
		"ld.param.u64 %d1, [out];\nst.global.v2.u32 [%d1], {%r2, %r3};\nN:\n" +
		"{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n" +
		"call (b), f, (a);\nld.param.u32 %r2, [b];\n}\nret;\n}\n"
	c, err := parse(t, text).Call("k", Launch{Groups: 1, Items: 2}, make([]byte, 8))
	if want := (Counts{Instructions: 2*(3+4+4) + 4, Products: 2 + 2}); err != nil || c != want {
		t.Errorf("%+v, %v, want %+v", c, err, want)
	}
}
