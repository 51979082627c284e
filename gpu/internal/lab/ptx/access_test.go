package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestLoads checks that a store writes the bytes of its type and no other bytes, and that a load
// extends its value to the width of the register with zeros.
func TestLoads(t *testing.T) {
	for _, tp := range []int{8, 16, 32, 64} {
		for _, width := range []int{16, 32, 64} {
			if width < tp {
				continue
			}
			for _, op := range []string{".global", ".volatile.global", ""} {
				register := operandName(width, 1)
				body := fmt.Sprintf("ld.global.u%d %s, [%%in];\nst%s.b%d [%%out+8], %s;\n"+
					"ld%s.u%d %s, [%%in];\nst.global.u%d [%%out], %s;\nmov.u64 %%d0, 0;\n",
					width, register, op, tp, register, op, tp, register, width, register)
				m := parse(t, strings.Replace(program(body, 64, nil), "st.global.u64 [%out], %d0;\n", "", 1))
				const v = 0x8899aabbccddeeff
				out, err := run(m, v)
				want := v & (uint64(1)<<(tp-1)<<1 - 1)
				if err != nil || get(out[:8]) != want || get(out[8:16]) != want {
					t.Errorf("%s of %#x: %x, %v", body, uint64(v), out[:16], err)
				}
			}
		}
	}
}

// TestMoves checks that the interpreter computes the right results for accesses to vectors, atomic
// operations, moves of addresses, and guarded statements.
func TestMoves(t *testing.T) {
	for _, c := range []struct {
		body string
		want uint64
	}{
		{"ld.global.v2.u32 {%r1, %r2}, [%in];\n" +
			"st.global.v2.u32 [%out], {%r2, %r1};\n", 0x33221100_77665544},
		{"ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%in+4];\n" +
			"st.global.v4.u8 [%out], {%r1, %r1, %r3, %r2};\n", 0x55664444},
		{"st.global.u32 [%out], 0xfffffff0;\natom.global.add.u32 %r1, [%out], 0x23;\n" +
			"st.global.u32 [%out+4], %r1;\n", 0xfffffff0_00000013},
		{"st.global.u32 [%out], 0x33;\natom.global.or.b32 %r1, [%out], 0x55;\n" +
			"st.global.u32 [%out+4], %r1;\n", 0x33_00000077},
		{"mov.pred %p1, 0;\nmov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\n@!%p1 add.u32 %r1, %r1, 10;\n" +
			"@%p1 bra A;\n@!%p1 bra B;\nA: ret;\nB: st.global.u32 [%out], %r1;\n", 11},
		{"mov.pred %p1, 1;\nmov.u32 %r1, 1;\n@!%p1 add.u32 %r1, %r1, 10;\n" +
			"add.u32 %r1, %r1, 100;\nst.global.u32 [%out], %r1;\n", 101},
		{"mov.u32 %r1, %ntid.x;\nmov.u32 %r2, %nctaid.x;\nmad.lo.u32 %r1, %r1, 100, %r2;\n" +
			"add.u32 %r1, %r1, %tid.x;\nst.global.u32 [%out], %r1;\n", 101},
		{".local .align 8 .b8 l[16];\nmov.u64 %d1, l;\ncvta.local.u64 %d2, %d1;\n" +
			"st.u32 [%d2+12], 77;\ncvta.to.local.u64 %d3, %d2;\nld.local.u32 %r1, [%d3+12];\n" +
			"st.global.u32 [%out], %r1;\n", 77},
		{".shared .align 8 .b8 l[16];\nmov.u64 %d1, l+4;\ncvta.shared.u64 %d2, %d1;\n" +
			"st.u32 [%d2], 78;\nld.shared.u32 %r1, [l+4];\nst.global.u32 [%out], %r1;\n", 78},
		{".param .b64 p;\nst.param.b32 [p+4], 9;\nld.param.u8 %r1, [p+4];\n" +
			"ld.param.u8 %r2, [p+5];\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%out], %r1;\n", 9},
		{"mov.b64 %d1, in;\nld.param.u64 %d2, [%d1+8];\nsub.u64 %d1, %d2, %out;\n" +
			"add.u64 %d1, %d1, 3;\nst.global.u64 [%out], %d1;\n", 3},
	} {
		text := strings.Replace(program(c.body, 32, nil), "st.global.u32 [%out], %r0;\nret;", "ret;", 1)
		out, err := run(parse(t, text), 0x7766554433221100, 9)
		if got := get(out[:8]); err != nil || got != c.want {
			t.Errorf("%s%#x, %v, want %#x", c.body, got, err, c.want)
		}
	}
}
