package contract

import (
	"math/big"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// sideBySide returns n numbers that lie side by side in the buffer, as the function side arranges
// them: limb i of number k is word first + k + n·i.
func sideBySide(buffer string, first, n int) (out []number) {
	for k := range n {
		out = append(out, limbsAt(buffer, first+k, n, 49))
	}
	return out
}

// homogeneous returns the coordinates X, Y and Z of the point p and 21·Z.
func homogeneous() []number {
	out := sideBySide("p", 0, 4)
	out[3].like = []times{{2, 21}}
	return out
}

// addend returns X, Y and Z of the addend that begins with the given word, and then its other
// numbers, which are congruent to sums of these. X is input number at of the claim.
func addend(buffer string, first, at int) (out []number) {
	all := sideBySide(buffer, first, 8)
	out = []number{all[3], all[0], all[7], all[1], all[2], all[4], all[5], all[6]}
	x, y, z := int64(at), int64(at+1), int64(at+2)
	for k, like := range [][]times{
		{{z, 21}}, {{y, 1}}, {{x, 21}, {z, 21}}, {{x, 1}}, {{y, 1}},
	} {
		out[3+k].like = like
	}
	return out
}

// parallelResult returns the sum of 2^n·p and the addends, with 21·Z. Each addend is negated if the
// argument with its name is not 0.
func parallelResult(c *Call, in []*big.Int, negate []string, addends ...[]*big.Int) []*big.Int {
	a := Homogeneous{in[0], in[1], in[2]}
	for range c.number("n") {
		a = a.Double()
	}
	for k, b := range addends {
		y := b[1]
		if negate != nil && c.number(negate[k]) != 0 {
			y = subP(new(big.Int), y)
		}
		a = a.Add(Homogeneous{b[0], y, b[2]})
	}
	return []*big.Int{a.X, a.Y, a.Z, timesP(21, a.Z)}
}

// parallelClaims lists the claims of the kernels with different numbers in the lanes of a register.
var parallelClaims = map[string]claim{
	"vector.doubleIFMA": {
		text: "2^n·p by the complete formulas modulo p, for n ≤ 3", each: 4, loops: []int{0},
		places: func(*Call, int) (in, out []number) { return homogeneous(), sideBySide("p", 0, 4) },
		wants: func(c *Call, _ int, in []*big.Int) []*big.Int {
			return parallelResult(c, in, nil)
		},
	},
	"vector.doubleAddIFMA": {
		text: "2^n·p ± q by the complete formulas modulo p, for n ≤ 2", each: 6, loops: []int{0},
		places: func(*Call, int) (in, out []number) {
			return append(homogeneous(), addend("a", 0, 4)...), sideBySide("p", 0, 4)
		},
		wants: func(c *Call, _ int, in []*big.Int) []*big.Int {
			return parallelResult(c, in, []string{"negate"}, in[4:])
		},
	},
	"vector.doubleAddMultiplesIFMA": {
		text: "2^n·p ± q ± r by the complete formulas modulo p, for n ≤ 2 and 8 pairs of indices",
		each: 8, loops: []int{0},
		places: func(c *Call, _ int) (in, out []number) {
			in = append(homogeneous(), addend("t", 40*2*c.number("i"), 4)...)
			return append(in, addend("t", 40*(2*c.number("j")+1), 12)...), sideBySide("p", 0, 4)
		},
		wants: func(c *Call, _ int, in []*big.Int) []*big.Int {
			return parallelResult(c, in, []string{"negateI", "negateJ"}, in[4:], in[12:])
		},
	},
	"vector.doubleAddAffineIFMA": {
		text: "2^n·p + a by the complete formulas modulo p, for n ≤ 2", each: 4, loops: []int{0},
		places: func(*Call, int) (in, out []number) {
			a := []number{limbsAt("a", 0, 1, 49), limbsAt("a", 5, 1, 49)}
			return append(homogeneous(), a...), sideBySide("p", 0, 4)
		},
		wants: func(c *Call, _ int, in []*big.Int) []*big.Int {
			return parallelResult(c, in, nil, []*big.Int{in[4], in[5], big.NewInt(1)})
		},
	},
	"vector.setAddendsIFMA": {
		text: "the numbers of the addends p and λ·p modulo p", each: 1,
		places: func(*Call, int) (in, out []number) {
			return homogeneous(), append(sideBySide("a", 0, 8), sideBySide("a", 40, 8)...)
		},
		wants: func(_ *Call, _ int, in []*big.Int) []*big.Int {
			a := Homogeneous{in[0], in[1], in[2]}
			out := addendLanes(a)
			a.X = mulP(a.X, reference.Beta())
			return append(out, addendLanes(a)...)
		},
	},
}
