package ptx

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// edges returns a random number of the given width. Many of its numbers are near values at which
// instructions are likely to be wrong.
func edges(r *rand.Rand, width int) uint64 {
	m := ^uint64(0) >> (64 - width)
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

// header is the text with which the programs in these tests begin.
const header = ".version 6.3\n.target sm_75\n.address_size 64\n"

// program returns the text of a kernel that loads operands of the given widths, runs the
// instructions in body, and stores the d bits of the result.
func program(body string, d int, args []int) string {
	var b strings.Builder
	b.WriteString(header + ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n" +
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

// run runs the kernel k of a module with one work item, on the given operands, and returns the
// memory for its result.
func run(m *Module, args ...uint64) ([]byte, error) {
	in, out := make([]byte, 256), make([]byte, 256)
	for i, a := range args {
		put(in[8*i:][:8], a)
	}
	_, err := m.Call("k", Launch{Groups: 1, Items: 1, Limit: 100000}, in, out)
	return out, err
}

func parse(t *testing.T, text string) *Module {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

func low(x *big.Int, width int) *big.Int {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return new(big.Int).Mod(x, m)
}

// signed returns the low bits of x, of the given width, as a signed number.
func signed(x *big.Int, width int) *big.Int {
	if x = low(x, width); x.Bit(width-1) == 1 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return x
}

// define returns the result of an instruction without carry by its definition. The result may have
// more bits than the instruction writes. The operands are signed if the type of the opcode is.
func define(opcode string, a []*big.Int) *big.Int {
	parts := strings.Split(opcode, ".")
	width, _ := strconv.Atoi(parts[len(parts)-1][1:])
	z := new(big.Int)
	switch parts[0] {
	case "mov":
		return a[0]
	case "cvt":
		if parts[2][0] == 's' {
			return signed(a[0], width)
		}
		return low(a[0], width)
	case "add":
		return z.Add(a[0], a[1])
	case "sub":
		return z.Sub(a[0], a[1])
	case "neg":
		return z.Neg(a[0])
	case "mul":
		if z.Mul(a[0], a[1]); parts[1] == "hi" {
			z.Rsh(z, uint(width))
		}
		return z
	case "mad":
		return z.Add(a[2], z.Mul(a[0], a[1]))
	case "div":
		return z.Quo(a[0], a[1])
	case "min":
		if a[0].Cmp(a[1]) < 0 {
			return a[0]
		}
		return a[1]
	case "and":
		return z.And(a[0], a[1])
	case "or":
		return z.Or(a[0], a[1])
	case "xor":
		return z.Xor(a[0], a[1])
	case "not":
		return z.Not(a[0])
	case "shl":
		return z.Lsh(a[0], uint(min(a[1].Uint64(), 100)))
	case "shr":
		return z.Rsh(a[0], uint(min(a[1].Uint64(), 100)))
	case "shf":
		double := z.Add(a[0], new(big.Int).Lsh(a[1], 32))
		return z.Rsh(low(double.Lsh(double, uint(a[2].Uint64()%32)), 64), 32)
	case "bfe":
		return low(z.Rsh(a[0], uint(a[1].Uint64()&255)), int(a[2].Uint64()&255))
	case "clz":
		return big.NewInt(int64(width - a[0].BitLen()))
	case "selp":
		return a[1-a[2].Uint64()]
	case "setp":
		c := a[0].Cmp(a[1])
		return big.NewInt(int64(bit(map[string]bool{"eq": c == 0, "ne": c != 0, "lt": c < 0,
			"le": c <= 0, "gt": c > 0, "ge": c >= 0}[parts[1]])))
	}
	return nil
}

// TestOpcodes checks that every instruction without carry gives the result of its definition, on
// edge cases and random numbers. The proofs in gpu/lab compare those with carry with definitions.
func TestOpcodes(t *testing.T) {
	for opcode, f := range forms {
		if f.in || f.out {
			continue
		}
		t.Run(opcode, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(len(opcode))))
			m := parse(t, program(instruction(opcode, f), f.widths[0], f.widths[1:]))
			for range 300 {
				args, bigs := make([]uint64, len(f.widths)-1), make([]*big.Int, len(f.widths)-1)
				for i := range args {
					w := f.widths[i+1]
					args[i] = edges(r, w)
					bigs[i] = new(big.Int).SetUint64(args[i])
					// The operand of a shift that says how far is unsigned.
					if opcode[strings.LastIndexByte(opcode, '.')+1] == 's' && w > 1 &&
						!(i == 1 && strings.HasPrefix(opcode, "shr")) {
						bigs[i] = signed(bigs[i], w)
					}
				}
				out, err := run(m, args...)
				if strings.HasPrefix(opcode, "div") && args[1] == 0 {
					if err == nil || !strings.Contains(err.Error(), "division by zero") {
						t.Fatalf("%x: error %v", args, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				want := low(define(opcode, bigs), f.widths[0]).Uint64()
				if got := get(out[:8]); got != want {
					t.Fatalf("%s of %#x: %#x, want %#x", opcode, args, got, want)
				}
			}
		})
	}
}

// instruction returns an instruction of the given form with a register for each operand.
func instruction(opcode string, f form) string {
	var names []string
	for i, w := range f.widths {
		names = append(names, operandName(w, i))
	}
	return opcode + " " + strings.Join(names, ", ") + ";\n"
}
