package ptx

import "testing"

// TestCounts checks that each executed instruction is counted in its class. The kernel runs on two
// groups of four work items.
func TestCounts(t *testing.T) {
	const text = header +
		".func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n" +
		"ld.param.u32 %r1, [x];\nsetp.eq.u32 %p, %r1, 0;\n@%p bra Z;\nmul.lo.u32 %r1, %r1, 3;\n" +
		"Z: st.param.b32 [r], %r1;\nret;\n}\n" +
		".entry k(.param .u64 out)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %d<5>;\n" +
		".local .align 8 .b8 l[16];\n.shared .align 8 .b8 s[64];\n" +
		"ld.param.u64 %d1, [out];\n" + // moves: 1
		"mul.wide.u32 %d2, %ctaid.x, 16;\nadd.u64 %d1, %d1, %d2;\n" +
		"mov.u32 %r1, %tid.x;\n" + // moves: 1
		"mul.wide.u32 %d2, %r1, 8;\n" +
		"add.u64 %d1, %d1, %d2;\n" + // an operation on 64 bits: 1
		"mov.u32 %r2, 0;\n" + // moves: 1
		"L:\n" + // the loop runs three times:
		"mad.lo.cc.u32 %r3, %r1, %r1, %r2;\nmadc.hi.u32 %r4, %r1, %r1, %r2;\n" +
		"add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra L;\n" +
		"setp.eq.u32 %p2, %r1, 0;\n" +
		"st.global.v2.u32 [%d1], {%r3, %r4};\n" +
		"@%p2 bra N;\nmul.hi.u32 %r5, %r3, %r4;\nN:\n" + // executed in item 1 only
		"mov.u64 %d3, l;\ncvta.local.u64 %d3, %d3;\nst.u64 [%d3+8], %d1;\n" + // moves: 2
		"mov.u64 %d4, s;\nadd.u64 %d4, %d4, %d2;\nst.shared.u64 [%d4], %d2;\n" + // moves: 1
		"bar.sync 0;\n" +
		"atom.global.add.u32 %r6, [%d1+4], %r2;\n" +
		"ld.shared.u32 %r7, [s+8];\n" +
		"{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n" + // moves: 1
		"call (b), f, (a);\nld.param.u32 %r7, [b];\n}\n" + // a call, and moves: 1
		"mul.lo.u64 %d2, %d2, %d2;\nret;\n}\n"
	m, c := parse(t, text), new(Counts)
	for range 2 { // the second launch adds to the counts of the first
		if _, err := m.Call("k", Launch{Groups: 2, Items: 2, Counts: c}, make([]byte, 32)); err != nil {
			t.Fatal(err)
		}
	}
	const all, second = 8, 4 // number of work items, and of those with tid 1
	want := Counts{Global: 12 * all, Shared: 12 * all, Local: 8 * all}
	for class, n := range map[Class]uint64{
		MulLow:    3*all + second, // f multiplies if tid is not 0
		MulHigh:   3*all + second,
		MulWide:   2 * all,
		Mul64:     all,
		Integer:   3*2*all + all + all, // the loop, setp, and setp in f
		Integer64: 3 * all,
		Move:      8*all + 2*all, // in k and in f
		Branch:    3*all + all + all + all + 2*all,
		Barrier:   all,
		Load:      all,
		Store:     3 * all,
		Atomic:    all,
	} {
		want.Instructions[class] = n
		want.Issued[class] = 4 * 32 * n / all // four warps of two work items each
	}
	// Work item 0 of each group skips these instructions. A GPU issues them nevertheless.
	want.Issued[MulLow], want.Issued[MulHigh] = 4*32*4, 4*32*4
	if *c != want {
		t.Errorf("%+v\nwant %+v", *c, want)
	}
	if c.Total() != 360 {
		t.Errorf("%d instructions", c.Total())
	}
}

// TestIssued checks the number of issued instructions in warps whose work items diverge. A warp
// issues an instruction as often as it is executed by that work item of the warp that executes it
// most often. Each warp is counted separately.
func TestIssued(t *testing.T) {
	const text = header + ".entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\n" +
		"mov.u32 %r1, %tid.x;\nxor.b32 %r1, %r1, 5;\nL:\n" + // (tid ^ 5) + 1 times:
		"setp.eq.u32 %p, %r1, 0;\n@%p bra M;\nsub.u32 %r1, %r1, 1;\nbra L;\n" +
		"M:\nret;\n}\n"
	c := new(Counts)
	if _, err := parse(t, text).Call("k", Launch{Groups: 1, Items: 40, Counts: c}); err != nil {
		t.Fatal(err)
	}
	var want Counts
	want.Instructions[Move], want.Issued[Move] = 40, 2*32
	want.Instructions[Integer] = 40 + 40*41/2 + 39*40/2 // xor, setp and sub
	want.Issued[Integer] = 32 * (1 + 32 + 31 + 1 + 40 + 39)
	want.Instructions[Branch] = 40*41/2 + 39*40/2 + 40 // both jumps and ret
	want.Issued[Branch] = 32 * (32 + 31 + 1 + 40 + 39 + 1)
	if *c != want {
		t.Errorf("%+v\nwant %+v", *c, want)
	}
}
