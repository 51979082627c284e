//go:build 386 || arm || mips || mipsle || wasm || (purego && narrow)

package field

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// The exclusive bounds of a reduced element's limbs.
const (
	limbEnd  = 1<<29 + 1<<16
	limb8End = 1<<24 + 1<<4
)

func limbsOf(v *Element) []*uint32 {
	return []*uint32{&v.l0, &v.l1, &v.l2, &v.l3, &v.l4, &v.l5, &v.l6, &v.l7, &v.l8}
}

func raw(v *Element) *big.Int {
	x, l := new(big.Int), limbsOf(v)
	for i := len(l) - 1; i >= 0; i-- {
		x.Lsh(x, 29).Add(x, big.NewInt(int64(*l[i])))
	}
	return x
}

// isReduced reports whether the limbs of v are in the ranges that Element's comment states.
func isReduced(v *Element) bool {
	for _, l := range limbsOf(v)[:8] {
		if *l >= limbEnd {
			return false
		}
	}
	return v.l8 < limb8End
}

// reducedElements returns elements whose limbs include the ends of the reduced range, numbers on
// both sides of 2^29, the limbs of p and of 2p, and n random elements.
func reducedElements(n int) []Element {
	r := rand.New(rand.NewSource(29))
	patterns := []uint32{
		0, 1, 7, 8, 9, c0 - 1, c0, c0 + 1, p1, p1 + 1, p0 - 1, p0, p0 + 1, 1 << 28,
		mask29 - 1, mask29, mask29 + 1, limbEnd - 2, limbEnd - 1,
	}
	patterns8 := []uint32{0, 1, 1 << 23, mask24 - 1, mask24, mask24 + 1, limb8End - 1}
	var out []Element
	for _, low := range patterns {
		for _, top := range patterns8 {
			var v Element
			for _, l := range limbsOf(&v)[:8] {
				*l = low
			}
			v.l8 = top
			out = append(out, v)
		}
	}
	// Add elements with the limbs of p, except that the lowest bit of one limb is flipped. After
	// them add 0 and p.
	for i := range 9 {
		v := Element{p0, p1, pi, pi, pi, pi, pi, pi, p8}
		*limbsOf(&v)[i] ^= 1
		out = append(out, v)
	}
	out = append(out, Element{}, Element{p0, p1, pi, pi, pi, pi, pi, pi, p8},
		// Add 2^256, 2^256 − 1, c and 2^256 + c.
		Element{l8: 1 << 24}, Element{mask29, mask29, pi, pi, pi, pi, pi, pi, p8},
		Element{l0: c0, l1: c1}, Element{l0: c0, l1: c1, l8: 1 << 24})
	for range n {
		var v Element
		for _, l := range limbsOf(&v)[:8] {
			if *l = patterns[r.Intn(len(patterns))]; r.Intn(2) == 0 {
				*l = uint32(r.Intn(limbEnd))
			}
		}
		if v.l8 = patterns8[r.Intn(len(patterns8))]; r.Intn(2) == 0 {
			v.l8 = uint32(r.Intn(limb8End))
		}
		out = append(out, v)
	}
	return out
}

// reduced checks that results are reduced too. Its function From returns the element whose limbs
// are the digits of a number in base 2^32.
var reduced = reference.Arithmetic[Element]{
	Modulus: bigP,
	From: func(x *big.Int) (v Element) {
		for i, l := range limbsOf(&v) {
			*l = uint32(new(big.Int).Rsh(x, uint(32*i)).Uint64())
		}
		return v
	},
	Int: func(v *Element) *big.Int {
		if !isReduced(v) {
			return big.NewInt(-1)
		}
		return toBig(v)
	},
}

// digits returns the number from which reduced.From makes v.
func digits(v *Element) *big.Int {
	x, l := new(big.Int), limbsOf(v)
	for i := len(l) - 1; i >= 0; i-- {
		x.Lsh(x, 32).Add(x, big.NewInt(int64(*l[i])))
	}
	return x
}

// TestNarrowUnary and TestNarrowBinary check that results are right and reduced for any reduced
// limbs, not only for limbs that SetLimbs returns.
func TestNarrowUnary(t *testing.T) {
	for _, a := range reducedElements(cputest.Cases(2000, 20000)) {
		checkUnary(t, &reduced, digits(&a), raw(&a))
	}
}

func TestNarrowBinary(t *testing.T) {
	vs := reducedElements(cputest.Cases(60, 150))
	for i := range vs {
		for j := range vs {
			checkBinary(t, &reduced, digits(&vs[i]), digits(&vs[j]), raw(&vs[i]), raw(&vs[j]))
		}
	}
}
