package ptx

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCarry checks the results of chains of instructions: each instruction of a chain reads the
// carry of the one before it and writes the carry that the next one reads.
func TestCarry(t *testing.T) {
	for _, tp := range typesOf("u", 32) {
		w := tp.width
		for _, name := range []string{"add", "sub", "mad.lo", "mad.hi"} {
			t.Run(name+"."+tp.String(), func(t *testing.T) { carryChain(t, name, tp, w) })
		}
	}
}

// carryChain runs three instructions (for the op "add" these are add.cc, addc.cc and addc), and
// compares their results with the expected ones. The operands of the last one are zeros, so its
// result is the carry of the second.
func carryChain(t *testing.T, op string, tp typ, w int) {
	r := rand.New(rand.NewPCG(2, uint64(w)))
	base, mode, _ := strings.Cut(op, ".")
	if mode != "" {
		mode = "." + mode
	}
	n := 2
	if base == "mad" {
		n = 3
	}
	operands := func(first int) (s string) {
		for i := range n {
			s += ", " + operandName(w, first+i)
		}
		return s
	}
	widths := make([]int, 2*n)
	for i := range widths {
		widths[i] = w
	}
	zero := operandName(w, 0)
	body := fmt.Sprintf("%s%s.cc.%v %s%s;\n%sc%s.cc.%v %s%s;\n",
		base, mode, tp, operandName(w, 7), operands(1), base, mode, tp, operandName(w, 8),
		operands(1+n))
	body += fmt.Sprintf("%sc%s.%v %s%s;\n", base, mode, tp, zero, strings.Repeat(", 0", n))
	for i, reg := range []int{7, 8} {
		body += fmt.Sprintf("st.global.u%d [%%out+%d], %s;\n", w, 8*(i+1), operandName(w, reg))
	}
	b := newBench(t, program(body, w, widths))
	z := func() *big.Int { return new(big.Int) }
	// step returns the expected result d of an instruction, and the carry or borrow out of it.
	step := func(a []uint64, carry *big.Int) (d, out *big.Int) {
		x, y := z().SetUint64(a[0]), z().SetUint64(a[1])
		switch base {
		case "add":
			d = z().Add(x, y)
		case "sub":
			d = z().Sub(z().Sub(x, y), carry)
			return low(d, w), truth(d.Sign() < 0)
		default:
			d = z().Mul(tp.number(a[0]), tp.number(a[1]))
			if mode == ".hi" {
				d.Rsh(d, uint(w))
			}
			d = low(d, w)
			d.Add(d, z().SetUint64(a[2]))
		}
		d.Add(d, carry)
		return low(d, w), z().Rsh(d, uint(w))
	}
	carries := [3]int{}
	for range 2000 {
		args := make([]uint64, 2*n)
		for i := range args {
			args[i] = edges(r, w)
		}
		last, err := b.run(args...)
		if err != nil {
			t.Fatal(err)
		}
		d1, c1 := step(args[:n], z())
		d2, c2 := step(args[n:], c1)
		want := low(c2, w)
		if base == "sub" {
			want = low(z().Neg(c2), w)
		}
		carries[c1.Uint64()+c2.Uint64()]++
		if get(b.out[8:][:w/8]) != d1.Uint64() || get(b.out[16:][:w/8]) != d2.Uint64() ||
			last != want.Uint64() {
			t.Fatalf("%#x: %x, %x, %x, want %x, %x, %x", args, get(b.out[8:][:w/8]),
				get(b.out[16:][:w/8]), last, d1, d2, want)
		}
	}
	if carries[0] == 0 || carries[1] == 0 || carries[2] == 0 {
		t.Errorf("carries: %v", carries)
	}
}
