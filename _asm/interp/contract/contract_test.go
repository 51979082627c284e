package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/koblitz-go/koblitz/_asm/interp/mutant"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// multiplication builds a simple multiplication modulo p, on which this package's tests run. If
// lastFold is false, the kernel lacks its last fold, and its result is wrong for about one random
// product in 2^190.
func multiplication(t *testing.T, lastFold bool) *interp.Program {
	t.Helper()
	c := build.NewContext()
	c.Function("multiply")
	c.SignatureExpr("func(v, a, b *uint64)")
	c.MOVQ(operand.NewParamAddr("a", 8), reg.RSI)
	c.MOVQ(operand.NewParamAddr("b", 16), reg.RDI)
	limb := func(base reg.Register, k int) operand.Mem { return operand.Mem{Base: base, Disp: 8 * k} }
	acc := []reg.GPPhysical{reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}
	lo, hi, none := reg.RAX, reg.RBX, reg.RCX
	for i := range 4 {
		c.MOVQ(limb(reg.RDI, i), reg.RDX)
		c.XORL(none.As32(), none.As32())
		if i == 0 {
			for _, r := range acc {
				c.MOVQ(none, r)
			}
		}
		for j := range 4 {
			c.MULXQ(limb(reg.RSI, j), lo, hi)
			c.ADCXQ(lo, acc[i+j])
			c.ADOXQ(hi, acc[i+j+1])
		}
		c.ADCXQ(none, acc[i+4])
	}
	c.MOVQ(operand.U64(0x1000003d1), reg.RDX)
	c.XORL(none.As32(), none.As32())
	for j := range 4 {
		c.MULXQ(acc[4+j], lo, hi)
		if j == 3 {
			c.MOVQ(none, acc[4])
		}
		c.ADCXQ(lo, acc[j])
		c.ADOXQ(hi, acc[j+1])
	}
	c.ADCXQ(none, acc[4])
	c.MULXQ(acc[4], lo, hi)
	c.ADDQ(lo, acc[0])
	c.ADCQ(hi, acc[1])
	c.ADCQ(operand.I8(0), acc[2])
	c.ADCQ(operand.I8(0), acc[3])
	if lastFold {
		c.SBBQ(lo, lo)
		c.ANDQ(reg.RDX, lo)
		c.ADDQ(lo, acc[0])
		c.ADCQ(operand.I8(0), acc[1])
	}
	c.MOVQ(operand.NewParamAddr("v", 0), reg.RDI)
	for k := range 4 {
		c.MOVQ(acc[k], limb(reg.RDI, k))
	}
	c.RET()
	return load(t, compiled(t, c), "multiply")
}

// compiled runs avo's passes on the functions that c has built.
func compiled(t *testing.T, c *build.Context) *ir.File {
	t.Helper()
	f, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// load decodes the function with the given name in file for the interpreter.
func load(t *testing.T, file *ir.File, name string) *interp.Program {
	t.Helper()
	p, err := amd64.Load(file, name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func product(a, b *big.Int, same string) *Call {
	p := reference.P()
	want := new(big.Int).Mul(a, b)
	want.Mod(want, p)
	return &Call{
		Name: fmt.Sprintf("%#x * %#x", a, b),
		Buffers: []Buffer{
			{Param: "a", Words: 4, In: Limbs(a)}, {Param: "b", Words: 4, In: Limbs(b)},
			{Param: "v", Words: 4, Out: true, Same: same},
		},
		Check: func(out Values) error {
			if got := Int(out["v"]); new(big.Int).Mod(got, p).Cmp(want) != 0 {
				return fmt.Errorf("%#x, want %#x", got, want)
			}
			return nil
		},
	}
}

// TestTargets checks that the pairs of factors that are hard to reduce find an error that random
// factors do not find. A kernel without its last fold must be wrong for many such pairs, and for
// hardly any random ones. The complete kernel must be right for all.
func TestTargets(t *testing.T) {
	p := reference.P()
	for _, lastFold := range []bool{true, false} {
		run := NewRunner(multiplication(t, lastFold), true)
		r := rand.New(rand.NewPCG(3, 4))
		wrong := [4]int{}
		for k, ab := range Pairs(p, r, 400, false) {
			if err := run.Run(run.Program(), product(ab[0], ab[1], "")); err != nil {
				if lastFold || IsFault(err) {
					t.Fatal(err)
				}
				wrong[k%4]++
			}
		}
		if !lastFold && (wrong[0]+wrong[2] < 50 || wrong[1] > 3) {
			t.Errorf("%v of 100 products each are wrong", wrong)
		}
		if u := run.Uncovered(); len(u) != 0 {
			t.Error(u)
		}
	}
}

// TestMutants checks that the calls find nearly all errors planted in the multiplication.
func TestMutants(t *testing.T) {
	run := NewRunner(multiplication(t, true), true)
	var calls []*Call
	for k, ab := range Pairs(reference.P(), rand.New(rand.NewPCG(5, 6)), 300, false) {
		calls = append(calls, product(ab[0], ab[1], []string{"", "a", "b"}[k%3]))
	}
	killed, alive := Hunt(run, mutant.All(run.Program()), calls)
	t.Logf("%d killed, %d alive:\n%v", killed, len(alive), List(alive))
	if 20*len(alive) > killed {
		t.Error("too many mutants live")
	}
}
