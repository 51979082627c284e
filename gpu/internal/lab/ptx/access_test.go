package ptx

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLoads checks that a load extends its value to the width of the register with zeros.
func TestLoads(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, tp := range typesOf("bu", 8, 16, 32, 64) {
		for _, width := range []int{16, 32, 64} {
			if width < tp.width {
				continue
			}
			for _, op := range []string{"global", "volatile.global", ""} {
				dot := "."
				if op == "" {
					dot = ""
				}
				body := fmt.Sprintf("ld%s%s.%v %s, [%%in+8];\n", dot, op, tp, operandName(width, 0))
				if width < 64 { // also read the bits beyond the register's width
					body += fmt.Sprintf("cvt.u64.u%d %%d0, %s;\n", width, operandName(width, 0))
				}
				b := newBench(t, program(body, 64, nil))
				v := r.Uint64() | r.Uint64N(2)<<(tp.width-1)
				got, err := b.run(0, v)
				if want := v & tp.mask(); err != nil || got != want {
					t.Errorf("%s of %#x: %#x, %v, want %#x", body, v, got, err, want)
				}
			}
		}
	}
}

// TestStores checks that a store writes the bytes of its type and no other bytes.
func TestStores(t *testing.T) {
	for _, tp := range typesOf("bus", 8, 16, 32, 64) {
		for _, width := range []int{16, 32, 64} {
			if width < tp.width {
				continue
			}
			body := fmt.Sprintf("ld.global.u%d %s, [%%in];\nst.global.%v [%%out+8], %s;\n"+
				"mov.u64 %%d0, 0;\n", width, operandName(width, 1), tp, operandName(width, 1))
			b := newBench(t, program(body, 64, nil))
			const v = 0x8899aabbccddeeff
			_, err := b.run(v)
			if got := binary.LittleEndian.Uint64(b.out[8:]); err != nil || got != v&tp.mask() {
				t.Errorf("%s: %#x, %v", body, got, err)
			}
		}
	}
}

// TestMoves checks that the interpreter computes the right results for accesses to vectors, moves
// of addresses, and guarded statements.
func TestMoves(t *testing.T) {
	for _, c := range []struct {
		body string
		want uint64
	}{
		{"ld.global.v2.u32 {%r1, %r2}, [%in];\n" +
			"st.global.v2.u32 [%out], {%r2, %r1};\n", 0x33221100_77665544},
		{"ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%in+4];\n" +
			"st.global.v4.u8 [%out], {%r1, %r1, %r3, %r2};\n", 0x55664444},
		{"ld.global.v2.u64 {%in, %d1}, [%in];\nst.global.u64 [%out], %d1;\n", 9},
		{"mov.pred %p1, 0;\nmov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\n@!%p1 add.u32 %r1, %r1, 10;\n" +
			"@%p1 bra A;\n@!%p1 bra B;\nA: ret;\nB: st.global.u32 [%out], %r1;\n", 11},
		{"mov.pred %p1, 1;\nmov.u32 %r1, 1;\n@!%p1 add.u32 %r1, %r1, 10;\n" +
			"add.u32 %r1, %r1, 100;\nst.global.u32 [%out], %r1;\n", 101},
		{"mov.u32 %r1, %ntid.x;\nmov.u32 %r2, %nctaid.x;\nmad.lo.u32 %r1, %r1, 100, %r2;\n" +
			"add.u32 %r1, %r1, %tid.y;\nst.global.u32 [%out], %r1;\n", 101},
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
		b := newBench(t, text)
		if got, err := b.run(0x7766554433221100, 9); err != nil || got != c.want {
			t.Errorf("%s%#x, %v, want %#x", c.body, got, err, c.want)
		}
	}
}

// TestAtomics checks that an atomic addition or disjunction returns the old value and stores the
// result.
func TestAtomics(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, tp := range typesOf("bus", 32, 64) {
		w, name := tp.width, "add"
		if tp.class == 'b' {
			name = "or"
		}
		b := newBench(t, program(fmt.Sprintf("st.global.u%d [%%out+8], %s;\n"+
			"atom.global.%s.%v %s, [%%out+8], %s;\n", w, operandName(w, 1), name, tp,
			operandName(w, 0), operandName(w, 2)), w, []int{w, w}))
		for range 200 {
			old, x := edges(r, w), edges(r, w)
			got, err := b.run(old, x)
			want := (old + x) & tp.mask()
			if name == "or" {
				want = old | x
			}
			if err != nil || got != old || get(b.out[8:16]) != want {
				t.Fatalf("%v: %#x and %#x: %#x, %#x, %v, want %#x", tp, old, x, got,
					get(b.out[8:16]), err, want)
			}
		}
	}
}
