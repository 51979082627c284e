package amd64_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TestRangeRules checks that Ranges finds each kind of error that it promises to find. It plants
// each error in a kernel, and also runs similar kernels without an error, which must pass.
//
// Every kernel has six arguments. DI points to out, eight vectors that the kernel must leave below
// 2^52. SI points to in, eight vectors below 2^52. R8 points to scratch, one vector with unknown
// contents. R9 points to rows, eight rows of four words, each row a number below p. R10 points to
// refs, a vector of references. CX holds n, which is 5. Z0 and Z1 hold two vectors of in.
func TestRangeRules(t *testing.T) {
	const c = 1<<32 + 977
	out := func(k int) operand.Mem { return mem(reg.RDI, 64*k) }
	rows := func(m *vectors.Machine) []operand.Op {
		w := m.LoadHalves(func(j int) operand.Mem { return mem(reg.R9, 32*j) })
		return w[:]
	}
	// accumulate adds Z1 to Z0 in a loop. If carry is set, it moves the bits of weight 2^52 and
	// above from Z0 to Z2 after each addition.
	accumulate := func(m *vectors.Machine, carry bool) {
		m.Label("loop")
		m.VPADDQ(reg.Z1, reg.Z0, reg.Z0)
		if carry {
			m.VPSRLQ(operand.U8(52), reg.Z0, reg.Z2)
			m.VPANDQ_BCST(m.Constant(1<<52-1), reg.Z0, reg.Z0)
			m.VPTESTMQ(reg.Z2, reg.Z2, reg.K1)
		}
		m.DECQ(reg.RCX)
		m.JNZ(operand.LabelRef("loop"))
		m.VMOVDQU64(reg.Z0, out(0))
	}
	// difference computes Z0 + Z1 − Z0 and shifts it to the right. If jump is set, there is a jump
	// back after the addition, so that Ranges cannot replace the sum by its terms.
	difference := func(m *vectors.Machine, jump bool) {
		m.VPADDQ(reg.Z0, reg.Z1, reg.Z2)
		if jump {
			m.Label("loop")
			m.DECQ(reg.RCX)
			m.JNZ(operand.LabelRef("loop"))
		}
		m.VPSUBQ(reg.Z0, reg.Z2, reg.Z2)
		m.VPSRLQ(operand.U8(8), reg.Z2, reg.Z2)
		m.VMOVDQU64(reg.Z2, out(0))
	}
	// subtract subtracts 2^52 − c from Z0 if the result is not negative. It calls the function in
	// its argument, tested, to emit the comparison, which sets the mask K1.
	subtract := func(m *vectors.Machine, tested func()) {
		m.VPADDQ_BCST(m.Constant(c), reg.Z0, reg.Z2)
		m.VPSRLQ(operand.U8(52), reg.Z2, reg.Z3)
		tested()
		m.VMOVDQA64(reg.Z2, reg.K1, reg.Z0)
		m.VPANDQ_BCST(m.Constant(1<<52-1), reg.Z0, reg.Z0)
		m.VMOVDQU64(reg.Z0, out(0))
	}
	// negate computes 2^256 − d minus each of the numbers in the argument rows. If the parameter
	// some is set, it does so only in some lanes, otherwise in all.
	negate := func(m *vectors.Machine, d uint64, some bool) {
		e := m.Split(rows(m))
		m.MOVQ(operand.U32(0x35), reg.RAX)
		m.KMOVB(reg.EAX, reg.K1)
		r := m.Register()
		for i := range e {
			v := uint64(1<<52 - 1)
			switch i {
			case 0:
				v = 1<<52 - d
			case 4:
				v = 1<<48 - 1
			}
			m.VPBROADCASTQ(m.Constant(v), r)
			if some {
				m.VPSUBQ(e[i], r, reg.K1, e[i])
			} else {
				m.VPSUBQ(e[i], r, e[i])
			}
		}
		for i := range 4 {
			m.VPSRAQ(operand.U8(52), e[i], r)
			m.VPADDQ(r, e[i+1], e[i+1])
			m.VPANDQ_BCST(m.Constant(1<<52-1), e[i], e[i])
		}
		m.Store(e, vectors.At(mem(reg.RDI, 0), 0))
	}
	for _, test := range []struct {
		name string
		want string // substring of the fault's text; empty: no fault
		body func(m *vectors.Machine)
	}{
		{"a sum of two limbs", "", func(m *vectors.Machine) {
			m.VPADDQ(reg.Z0, reg.Z1, reg.Z0)
			m.VPSRLQ(operand.U8(1), reg.Z0, reg.Z0)
			m.VMOVDQU64(reg.Z0, out(0))
		}},
		{"a sum too long for out", "limb 0", func(m *vectors.Machine) {
			m.VPADDQ(reg.Z0, reg.Z1, reg.Z0)
			m.VMOVDQU64(reg.Z0, out(0))
		}},
		{"an overflow", "may overflow", func(m *vectors.Machine) {
			m.VPSLLQ(operand.U8(11), reg.Z0, reg.Z0)
			m.VPADDQ(reg.Z0, reg.Z0, reg.Z0)
		}},
		{"a product of lanes of others", "at other positions", func(m *vectors.Machine) {
			m.VSHUFI64X2(operand.U8(0x4e), reg.Z0, reg.Z0, reg.Z2)
			m.VPADDQ(reg.Z0, reg.Z2, reg.Z2)
		}},
		{"a sum of lanes that were mixed", "at other positions", func(m *vectors.Machine) {
			m.VPUNPCKLQDQ(reg.Z1, reg.Z0, reg.Z2)
			m.VPADDQ(reg.Z0, reg.Z2, reg.Z2)
		}},
		{"a vector across two", "at other positions", func(m *vectors.Machine) {
			m.VPADDQ(mem(reg.RSI, 8), reg.Z0, reg.Z0)
		}},
		{"half a vector", "not a whole vector", func(m *vectors.Machine) {
			m.VPADDQ(reg.Y0, reg.Y1, reg.Y2)
		}},
		{"a negative word", "word 0 of a row is in", func(m *vectors.Machine) {
			m.VPSUBQ(reg.Z0, reg.Z1, reg.Z2)
			w := [8]operand.Op{reg.Z2, reg.Z2, reg.Z2, reg.Z2, reg.Z2, reg.Z2, reg.Z2, reg.Z2}
			m.StoreRowsAt(w, func(j int) operand.Mem { return mem(reg.R9, 64*j) })
		}},
		{"rows of words", "",
			func(m *vectors.Machine) { m.Store(m.Split(rows(m)), vectors.At(mem(reg.RDI, 0), 0)) }},
		{"different words", "different words", func(m *vectors.Machine) {
			w := m.LoadHalves(func(j int) operand.Mem { return mem(reg.R9, 32*j+j/7*8) })
			m.Split(w[:])
		}},
		{"a limb without bits of a word", "left out are lost", func(m *vectors.Machine) {
			w := rows(m)
			m.VPSHRDQ(operand.U8(52), w[1], w[0], reg.Z2)
			m.VPANDQ_BCST(m.Constant(1<<52-1), reg.Z2, reg.Z2)
			m.VMOVDQU64(reg.Z2, out(0))
		}},
		{"a shift to the left that keeps all bits", "", func(m *vectors.Machine) {
			m.VPSLLQ(operand.U8(12), reg.Z0, reg.Z2)
			m.VPSRLQ(operand.U8(12), reg.Z2, reg.Z2)
			m.VMOVDQU64(reg.Z2, out(0))
		}},
		{"a shift to the left that loses bits", "left out are lost", func(m *vectors.Machine) {
			m.VPSLLQ(operand.U8(13), reg.Z0, reg.Z2)
			m.VPSRLQ(operand.U8(12), reg.Z2, reg.Z2)
			m.VMOVDQU64(reg.Z2, out(0))
		}},
		{"a loop with a carry", "", func(m *vectors.Machine) { accumulate(m, true) }},
		{"a loop in which a sum grows", "differ from round to round",
			func(m *vectors.Machine) { accumulate(m, false) }},
		{"a sum less one of its terms", "", func(m *vectors.Machine) { difference(m, false) }},
		{"a sum from before a loop", "as if it were not negative",
			func(m *vectors.Machine) { difference(m, true) }},
		{"a choice by a bit", "", func(m *vectors.Machine) {
			subtract(m, func() { m.VPTESTMQ(reg.Z3, reg.Z3, reg.K1) })
		}},
		{"a choice by no bit", "from 52 up are lost", func(m *vectors.Machine) {
			subtract(m, func() { m.VPTESTNMQ(reg.Z3, reg.Z3, reg.K1) })
		}},
		{"a choice by a bit of others", "from 52 up are lost", func(m *vectors.Machine) {
			subtract(m, func() {
				m.VPADDQ(reg.Z1, reg.Z1, reg.Z4)
				m.VPSRLQ(operand.U8(52), reg.Z4, reg.Z4)
				m.VPTESTMQ(reg.Z4, reg.Z4, reg.K1)
			})
		}},
		{"p less a number below it", "", func(m *vectors.Machine) { negate(m, c, false) }},
		{"p less some numbers below it", "", func(m *vectors.Machine) { negate(m, c, true) }},
		{"less than p less a number below it", "limb 4",
			func(m *vectors.Machine) { negate(m, c+2, false) }},
		{"less than p less some numbers below it", "limb 4",
			func(m *vectors.Machine) { negate(m, c+2, true) }},
		{"references by themselves", "", func(m *vectors.Machine) {
			m.VMOVDQU64(mem(reg.R10, 0), reg.Z2)
			m.VPADDQ_BCST(m.Constant(64), reg.Z2, reg.Z2)
			m.VPTESTMQ(reg.Z2, reg.Z2, reg.K1)
			m.VMOVDQA64(reg.Z1, reg.K1, reg.Z0)
			m.VMOVDQU64(reg.Z0, out(0))
		}},
		{"references and limbs", "a reference and a number",
			func(m *vectors.Machine) { m.VPADDQ(mem(reg.R10, 0), reg.Z0, reg.Z0) }},
		{"words under the signs of references", "", func(m *vectors.Machine) {
			m.VMOVDQU64(mem(reg.R10, 0), reg.Z2)
			m.VPSRAQ(operand.U8(63), reg.Z2, reg.Z2)
			m.VPTERNLOGQ(operand.U8(0xf8), reg.Z1, reg.Z2, reg.Z0)
			m.VMOVDQU64(reg.Z0, out(0))
		}},
		{"words under bits of references", "a reference and a number", func(m *vectors.Machine) {
			m.VMOVDQU64(mem(reg.R10, 0), reg.Z2)
			m.VPSRAQ(operand.U8(62), reg.Z2, reg.Z2)
			m.VPTERNLOGQ(operand.U8(0xf8), reg.Z1, reg.Z2, reg.Z0)
		}},
		{"a sum of words by a logical operation", "without a rule",
			func(m *vectors.Machine) { m.VPTERNLOGQ(operand.U8(0x96), reg.Z1, reg.Z1, reg.Z0) }},
		{"scratch that is overwritten", "", func(m *vectors.Machine) {
			m.VPADDQ(mem(reg.R8, 0), reg.Z0, reg.Z2)
			m.VMOVDQU64(reg.Z2, out(0))
			m.VMOVDQU64(reg.Z0, out(0))
		}},
		{"a result of scratch", "limb 0", func(m *vectors.Machine) {
			m.VPADDQ(mem(reg.R8, 0), reg.Z0, reg.Z2)
			m.VMOVDQU64(reg.Z2, out(0))
		}},
		{"halves of a fused product", "",
			func(m *vectors.Machine) { fusedProduct(m, out, true, reg.Z2) }},
		{"a surplus that stays", "limb 0",
			func(m *vectors.Machine) { fusedProduct(m, out, false, reg.Z2) }},
		{"a fused product of what is no double", "not known to be an integer",
			func(m *vectors.Machine) { m.VFMADD231PD_RZ_SAE(reg.Z0, reg.Z1, reg.Z1) }},
		{"the low half of another product", "no half of a product",
			func(m *vectors.Machine) { fusedProduct(m, out, true, reg.Z3) }},
		{"a lost half of a fused product", "are lost", func(m *vectors.Machine) {
			fusedProduct(m, out, true, reg.Z2)
			m.VPBROADCASTQ(m.Constant(0x467<<52), reg.Z4)
			m.VFMADD231PD_RZ_SAE(reg.Z2, reg.Z3, reg.Z4)
		}},
		{"a fused product without its low half", "the low half", func(m *vectors.Machine) {
			toDoubles(m)
			upperHalf(m)
			m.VPADDQ_BCST(m.Constant(-square&(1<<64-1)), reg.Z4, reg.Z4)
			m.VMOVDQU64(reg.Z4, out(0))
		}},
		{"a fused product plus a carried number", "has been carried", func(m *vectors.Machine) {
			m.VPADDQ(reg.Z0, reg.Z1, reg.Z6)
			m.VPSRLQ(operand.U8(52), reg.Z6, reg.Z7)
			toDoubles(m)
			upperHalf(m)
			m.VPADDQ(reg.Z6, reg.Z4, reg.Z4)
		}},
		{"a carried sum of fused products, added again", "has been carried", func(m *vectors.Machine) {
			toDoubles(m)
			upperHalf(m)
			m.VPADDQ_BCST(m.Constant(-square&(1<<64-1)+1), reg.Z4, reg.Z4)
			m.VPADDQ(reg.Z4, reg.Z4, reg.Z4)
			m.VPSRLQ(operand.U8(52), reg.Z4, reg.Z5)
			m.VPADDQ(reg.Z4, reg.Z4, reg.Z4)
		}},
		{"a factor with the bits of 2^104", "not known to be an integer", func(m *vectors.Machine) {
			toDoubles(m)
			m.VPXORQ(reg.Z3, reg.Z3, reg.Z3)
			upperHalf(m)
			m.VPBROADCASTQ(m.Constant(square), reg.Z5)
			m.VFMADD231PD_RZ_SAE(reg.Z2, reg.Z4, reg.Z5)
		}},
		{"a conversion that begins before a loop", "may be rounded", func(m *vectors.Machine) {
			m.VPORQ_BCST(m.Constant(unit), reg.Z0, reg.Z2)
			m.Label("loop")
			m.DECQ(reg.RCX)
			m.JNZ(operand.LabelRef("loop"))
			m.VSUBPD_BCST(m.Constant(unit), reg.Z2, reg.Z2)
		}},
		{"a store of another kind", "not tracked",
			func(m *vectors.Machine) { m.MOVQ(reg.RCX, out(0)) }},
	} {
		failure := rangeFailure(t, func(c *build.Context) {
			m := vectors.New(c, "kernel", vectors.IFMA)
			for range 8 {
				m.Register() // reserve Z0 … Z7 for the test
			}
			m.VMOVDQU64(mem(reg.RSI, 0), reg.Z0)
			m.VMOVDQU64(mem(reg.RSI, 64), reg.Z1)
			test.body(m)
			m.VZEROUPPER()
		})
		if (failure == "") != (test.want == "") || !strings.Contains(failure, test.want) {
			t.Errorf("%s: %q, want %q", test.name, failure, test.want)
		}
	}
}

// rangeFailure returns the fault of a kernel with the arguments that TestRangeRules describes,
// or "" if there is none. The kernel loads the arguments and then runs the instructions that
// body writes.
func rangeFailure(t *testing.T, body func(c *build.Context)) (failure string) {
	t.Helper()
	p, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
		16)
	file, _ := assemble(t, "func(out, in, scratch, rows, refs *uint64, n int)",
		func(c *build.Context) {
			for k, r := range []reg.GPPhysical{reg.RDI, reg.RSI, reg.R8, reg.R9, reg.R10, reg.RCX} {
				c.MOVQ(param([]string{"out", "in", "scratch", "rows", "refs", "n"}[k], 8*k), r)
			}
			body(c)
			c.RET()
		})
	program, err := amd64.Load(file, "kernel")
	if err != nil {
		t.Fatal(err)
	}
	m := program.NewMachine()
	follow, stop := m.Follow()
	defer stop()
	var regions [5]*interp.Region
	for k, words := range []int{64, 64, 8, 64, 8} {
		regions[k] = m.NewRegion([]string{"out", "in", "scratch", "rows", "refs"}[k], 8*words,
			interp.Read)
		regions[k].FillWords(0, make([]uint64, words), false)
		m.SetArg(8*k, regions[k].Address(), false)
	}
	m.SetArg(40, 5, false)
	regions[0].Allow(interp.Read | interp.Write)
	follow.Results(regions[0])
	limb := interp.Below(52)
	for k := range uint64(8) {
		follow.Hold(regions[0].Address()+64*k, limb)
		follow.Hold(regions[1].Address()+64*k, limb)
	}
	follow.HoldPoison(regions[2].Address())
	follow.Rows(regions[3], p)
	follow.References(regions[4])
	if err := m.Run(); err != nil {
		return err.Error()
	}
	for k := range uint64(5) {
		if s, clean := follow.At(regions[0].Address()+64*k, limb); !clean || !s.Within(limb) {
			return "limb " + string(rune('0'+k))
		}
	}
	return ""
}

// These are the bits of the double-precision numbers 2^52 and 2^104.
const unit, square = 0x433 << 52, 0x467 << 52

// toDoubles sets Z2 and Z3 to Z0 and Z1 as double-precision numbers.
func toDoubles(m *vectors.Machine) {
	for k, r := range []reg.VecPhysical{reg.Z2, reg.Z3} {
		m.VPORQ_BCST(m.Constant(unit), []reg.VecPhysical{reg.Z0, reg.Z1}[k], r)
		m.VSUBPD_BCST(m.Constant(unit), r, r)
	}
}

// upperHalf sets Z4 to the bits of 2^104 plus the upper half of the product of Z2 and Z3.
func upperHalf(m *vectors.Machine) {
	m.VPBROADCASTQ(m.Constant(square), reg.Z4)
	m.VFMADD231PD_RZ_SAE(reg.Z2, reg.Z3, reg.Z4)
}

// fusedProduct stores the upper half of the product of Z0 and Z1 at out(0) and the lower half at
// out(1). It is correct if settled is true and other is Z2. Otherwise it has a fault: if settled is
// false, the kernel does not subtract the 2^104 from the upper half, so that the stored number is
// too large; if other is another register, the lower half is computed with a wrong factor.
func fusedProduct(
	m *vectors.Machine, out func(k int) operand.Mem, settled bool, other reg.Register,
) {
	toDoubles(m)
	upperHalf(m)
	m.VSUBPD_BCST(m.Constant(square+1), reg.Z4, reg.Z5)
	m.VFMSUB231PD_RZ_SAE(other, reg.Z3, reg.Z5)
	if settled {
		m.VPADDQ_BCST(m.Constant(-square&(1<<64-1)), reg.Z4, reg.Z4)
	}
	m.VPADDQ_BCST(m.Constant(-unit&(1<<64-1)), reg.Z5, reg.Z5)
	m.VMOVDQU64(reg.Z4, out(0))
	m.VMOVDQU64(reg.Z5, out(1))
}
