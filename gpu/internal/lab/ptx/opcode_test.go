package ptx

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// An opcode is an instruction together with its definition, written with math/big.
type opcode struct {
	text string // such as "add.u32"; the operands are d, a, b, c, …
	d    int    // width of the result in bits
	args []int  // widths of the operands in bits
	// want returns the result as a number, which may be longer than d bits; the low d bits count.
	want func(a []*big.Int) *big.Int
}

// edges returns a random number of the given width. Many of its numbers are near values at which
// instructions are likely to be wrong.
func edges(r *rand.Rand, width int) uint64 {
	m := typ{'u', width}.mask()
	switch r.IntN(4) {
	case 0:
		return []uint64{0, 1, 2, m, m - 1, m >> 1, m>>1 + 1, m >> 2}[r.IntN(8)] & m
	case 1:
		return r.Uint64N(80) & m
	case 2:
		return (uint64(1)<<r.IntN(width) - r.Uint64N(2)) & m
	}
	return r.Uint64() & m
}

// program returns the text of a kernel that loads operands of the given widths, runs the
// instructions in body, and stores the d bits of the result.
func program(body string, d int, args []int) string {
	var b strings.Builder
	b.WriteString(".version 6.3\n.target sm_75\n.address_size 64\n" +
		".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" +
		".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>, %in, %out;\n" +
		"ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n")
	for i, w := range args {
		switch w {
		case 1:
			fmt.Fprintf(&b, "ld.global.u32 %%r8, [%%in+%d];\nsetp.ne.u32 %%p%d, %%r8, 0;\n",
				8*i, i+1)
		default:
			fmt.Fprintf(&b, "ld.global.u%d %s, [%%in+%d];\n", w, operandName(w, i+1), 8*i)
		}
	}
	b.WriteString(body)
	if d == 1 {
		b.WriteString("selp.u32 %r0, 1, 0, %p0;\nst.global.u32 [%out], %r0;\n")
	} else {
		fmt.Fprintf(&b, "st.global.u%d [%%out], %s;\n", d, operandName(d, 0))
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

func operandName(width, i int) string {
	return map[int]string{1: "%p", 16: "%h", 32: "%r", 64: "%d"}[width] + itoa(i)
}

// A bench is a loaded program, with memory for its operands and its result.
type bench struct {
	image   *Image
	kernel  *Kernel
	params  []byte
	in, out []byte
}

func newBench(t *testing.T, text string) *bench {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	mem := NewMemory(1 << 20)
	b := &bench{image: m.Load(mem), kernel: m.Kernels()[0]}
	in, err := mem.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	out, err := mem.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	if b.in, err = mem.Bytes(in, 256); err != nil {
		t.Fatal(err)
	}
	if b.out, err = mem.Bytes(out, 256); err != nil {
		t.Fatal(err)
	}
	if b.params, err = b.kernel.NewParams(in, out); err != nil {
		t.Fatal(err)
	}
	return b
}

// run runs the program on the given operands and returns the result.
func (b *bench) run(args ...uint64) (uint64, error) {
	for i, a := range args {
		binary.LittleEndian.PutUint64(b.in[8*i:], a)
	}
	clear(b.out)
	_, err := b.image.Run(b.kernel, Launch{Groups: [3]uint32{1}, Items: [3]uint32{1},
		Params: b.params})
	return binary.LittleEndian.Uint64(b.out), err
}

var one = big.NewInt(1)

func low(x *big.Int, width int) *big.Int {
	m := new(big.Int).Lsh(one, uint(width))
	return new(big.Int).Mod(x, m)
}

// number returns the value of v as a number of type t.
func (t typ) number(v uint64) *big.Int {
	x := new(big.Int).SetUint64(v)
	if t.signed() && v>>(t.width-1) != 0 {
		x.Sub(x, new(big.Int).Lsh(one, uint(t.width)))
	}
	return x
}

func truth(b bool) *big.Int {
	if b {
		return one
	}
	return new(big.Int)
}

// ofType returns an opcode with n operands of type tp and a result of d bits. f computes the
// result.
func ofType(name string, tp typ, d int, n int, f func(a []*big.Int) *big.Int) opcode {
	args := make([]int, n)
	for i := range args {
		args[i] = tp.width
	}
	return opcode{name + "." + tp.String(), d, args, func(a []*big.Int) *big.Int {
		b := make([]*big.Int, len(a))
		for i := range a {
			b[i] = tp.number(a[i].Uint64())
		}
		return f(b)
	}}
}

// typesOf returns all types of the given classes and widths.
func typesOf(classes string, widths ...int) (list []typ) {
	for _, c := range classes {
		for _, w := range widths {
			list = append(list, typ{byte(c), w})
		}
	}
	return list
}

// plainOpcodes returns the instructions whose operands all have the same type.
func plainOpcodes() (list []opcode) {
	add := func(name string, tp typ, d, n int, f func(a []*big.Int) *big.Int) {
		list = append(list, ofType(name, tp, d, n, f))
	}
	z := func() *big.Int { return new(big.Int) }
	for _, tp := range typesOf("us", 16, 32, 64) {
		w := tp.width
		add("add", tp, w, 2, func(a []*big.Int) *big.Int { return z().Add(a[0], a[1]) })
		add("sub", tp, w, 2, func(a []*big.Int) *big.Int { return z().Sub(a[0], a[1]) })
		add("min", tp, w, 2, func(a []*big.Int) *big.Int {
			if a[0].Cmp(a[1]) < 0 {
				return a[0]
			}
			return a[1]
		})
		for cmp, f := range map[string]func(c int) bool{
			"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
			"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
			"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
		} {
			says := func(a []*big.Int) *big.Int { return truth(f(a[0].Cmp(a[1]))) }
			add("setp."+cmp, tp, 1, 2, says)
		}
	}
	for _, tp := range typesOf("s", 16, 32, 64) {
		add("neg", tp, tp.width, 1, func(a []*big.Int) *big.Int { return z().Neg(a[0]) })
	}
	for _, tp := range append(typesOf("b", 16, 32, 64), typ{'p', 1}) {
		add("and", tp, tp.width, 2, func(a []*big.Int) *big.Int { return z().And(a[0], a[1]) })
		add("or", tp, tp.width, 2, func(a []*big.Int) *big.Int { return z().Or(a[0], a[1]) })
		add("xor", tp, tp.width, 2, func(a []*big.Int) *big.Int { return z().Xor(a[0], a[1]) })
		add("not", tp, tp.width, 1, func(a []*big.Int) *big.Int { return z().Not(a[0]) })
		add("mov", tp, tp.width, 1, func(a []*big.Int) *big.Int { return a[0] })
		if tp.width > 1 {
			add("setp.eq", tp, 1, 2, func(a []*big.Int) *big.Int { return truth(a[0].Cmp(a[1]) == 0) })
		}
	}
	for _, tp := range typesOf("u", 16, 32, 64) {
		add("div", tp, tp.width, 2, func(a []*big.Int) *big.Int { return z().Quo(a[0], a[1]) })
	}
	product := func(a []*big.Int) *big.Int { return z().Mul(a[0], a[1]) }
	for _, tp := range typesOf("us", 32, 64) {
		add("mul.lo", tp, tp.width, 2, product)
	}
	for _, tp := range typesOf("us", 32) {
		add("mad.lo", tp, 32, 3, func(a []*big.Int) *big.Int { return z().Add(product(a), a[2]) })
	}
	add("mul.hi", typ{'u', 32}, 32, 2, func(a []*big.Int) *big.Int { return z().Rsh(product(a), 32) })
	add("clz", typ{'b', 32}, 32, 1, func(a []*big.Int) *big.Int {
		return big.NewInt(int64(32 - a[0].BitLen()))
	})
	return list
}

// mixedOpcodes returns the instructions whose operands have several types.
func mixedOpcodes() (list []opcode) {
	z := func() *big.Int { return new(big.Int) }
	add := func(text string, d int, args []int, want func(a []*big.Int) *big.Int) {
		list = append(list, opcode{text, d, args, want})
	}
	for _, tp := range typesOf("us", 16, 32) {
		w := tp.width
		wide := func(a []*big.Int) *big.Int {
			return z().Mul(tp.number(a[0].Uint64()), tp.number(a[1].Uint64()))
		}
		add("mul.wide."+tp.String(), 2*w, []int{w, w}, wide)
		add("mad.wide."+tp.String(), 2*w, []int{w, w, 2 * w},
			func(a []*big.Int) *big.Int { return z().Add(wide(a), a[2]) })
	}
	for _, tp := range typesOf("bus", 16, 32, 64) {
		w := tp.width
		add("selp."+tp.String(), w, []int{w, w, 1}, func(a []*big.Int) *big.Int {
			return a[1-a[2].Uint64()]
		})
	}
	for _, tp := range typesOf("bus", 32, 64) {
		w := tp.width
		shift := func(a []*big.Int) uint { return uint(min(a[1].Uint64(), 100)) }
		if tp.class == 'b' {
			add("shl."+tp.String(), w, []int{w, 32},
				func(a []*big.Int) *big.Int { return z().Lsh(a[0], shift(a)) })
		}
		add("shr."+tp.String(), w, []int{w, 32}, func(a []*big.Int) *big.Int {
			return z().Rsh(tp.number(a[0].Uint64()), shift(a))
		})
	}
	for _, to := range typesOf("us", 16, 32, 64) {
		for _, from := range typesOf("us", 16, 32, 64) {
			add("cvt."+to.String()+"."+from.String(), to.width, []int{from.width},
				func(a []*big.Int) *big.Int { return from.number(a[0].Uint64()) })
		}
	}
	for _, from := range typesOf("us", 8) {
		add("cvt.u32."+from.String(), 32, []int{16},
			func(a []*big.Int) *big.Int { return from.number(low(a[0], 8).Uint64()) })
		add("cvt."+from.String()+".u32", 32, []int{32},
			func(a []*big.Int) *big.Int { return from.number(low(a[0], 8).Uint64()) })
	}
	add("shf.l.wrap.b32", 32, []int{32, 32, 32}, func(a []*big.Int) *big.Int {
		double := z().Add(a[0], z().Lsh(a[1], 32))
		return z().Rsh(low(double.Lsh(double, uint(a[2].Uint64()%32)), 64), 32)
	})
	for _, tp := range typesOf("u", 32, 64) {
		add("bfe."+tp.String(), tp.width, []int{tp.width, 32, 32}, func(a []*big.Int) *big.Int {
			return low(z().Rsh(a[0], uint(a[1].Uint64()&255)), int(a[2].Uint64()&255))
		})
	}
	return list
}

// TestOpcodes checks that every instruction gives the result of its definition, on edge cases and
// random numbers. It then runs the instruction again with a constant in place of each operand.
func TestOpcodes(t *testing.T) {
	all := append(plainOpcodes(), mixedOpcodes()...)
	for _, o := range all {
		t.Run(o.text, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(o.text))))
			line := o.text + " " + operandName(o.d, 0)
			for i, w := range o.args {
				line += ", " + operandName(w, i+1)
			}
			division := strings.HasPrefix(o.text, "div")
			b := newBench(t, program(line+";\n", o.d, o.args))
			for range 300 {
				args, bigs := make([]uint64, len(o.args)), make([]*big.Int, len(o.args))
				for i, w := range o.args {
					args[i] = edges(r, w)
					bigs[i] = new(big.Int).SetUint64(args[i])
				}
				got, err := b.run(args...)
				if division && args[1] == 0 {
					if err == nil || !strings.Contains(err.Error(), "division by zero") {
						t.Fatalf("%x: error %v", args, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if want := low(o.want(bigs), o.d).Uint64(); got != want {
					t.Fatalf("%s of %#x: %#x, want %#x", o.text, args, got, want)
				}
			}
		})
	}
	if len(all) < 100 {
		t.Errorf("%d opcodes", len(all))
	}
}
