//go:build 386 || arm || mips || mipsle || wasm || (purego && narrow)

package field

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/ct"
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

// TestNarrowUnary and TestNarrowBinary check that results are right and reduced for any reduced
// limbs, not only for limbs that SetLimbs returns.
func TestNarrowUnary(t *testing.T) {
	n := 20000
	if !cputest.Deep() {
		n = 4000
	}
	half := new(big.Int).ModInverse(big.NewInt(2), bigP)
	for _, a := range reducedElements(n) {
		x := toBig(&a)
		check := func(name string, v *Element, want *big.Int) {
			t.Helper()
			if toBig(v).Cmp(mod(want)) != 0 || !isReduced(v) {
				t.Fatalf("%s(%x) = %x, want the residue %x", name, a, *v, mod(want))
			}
		}
		var v Element
		check("Neg", v.Neg(&a), new(big.Int).Neg(x))
		check("Half", v.Half(&a), new(big.Int).Mul(x, half))
		three := new(big.Int).Mul(x, big.NewInt(3))
		check("ThreeHalves", v.ThreeHalves(&a), three.Mul(three, half))
		check("Square", v.Square(&a), new(big.Int).Mul(x, x))
		fourth := new(big.Int).Exp(x, big.NewInt(4), bigP)
		check("SquareN", v.SquareN(&a, 2), fourth)
		for _, k := range []uint64{0, 1, 2, 21, 1<<31 - 1} {
			check("MulSmall", v.MulSmall(&a, k), new(big.Int).Mul(x, new(big.Int).SetUint64(k)))
		}
		v = a
		check("Normalize", v.Normalize(), x)
		if raw(&v).Cmp(x) != 0 || v.l8 > mask24 {
			t.Fatalf("Normalize(%x) = %x", a, v)
		}
		for _, l := range limbsOf(&v)[:8] {
			if *l > mask29 {
				t.Fatalf("Normalize(%x) = %x", a, v)
			}
		}
		if got := a.Limbs(); got != reference.Words(x) {
			t.Fatalf("Limbs(%x) = %x, want %x", a, got, reference.Words(x))
		}
		if w := reference.FromWords(words(&a)...); mod(w).Cmp(x) != 0 {
			t.Fatalf("Words(%x) = %x", a, w)
		}
		if a.IsZero().Bool() != (x.Sign() == 0) {
			t.Fatalf("IsZero(%x)", a)
		}
		if a.IsOdd() != ct.Choice(x.Bit(0)) {
			t.Fatalf("IsOdd(%x)", a)
		}
		if w := v; w.Equal(&a) != 1 {
			t.Fatalf("%x is not equal to its canonical form", a)
		}
	}
}

func TestNarrowBinary(t *testing.T) {
	n := 150
	if !cputest.Deep() {
		n = 60
	}
	vs := reducedElements(n)
	values := make([]*big.Int, len(vs))
	for i := range vs {
		values[i] = raw(&vs[i])
	}
	for i := range vs {
		for j := range vs {
			a, b, x, y := &vs[i], &vs[j], values[i], values[j]
			check := func(name string, v *Element, want *big.Int) {
				t.Helper()
				if toBig(v).Cmp(mod(want)) != 0 || !isReduced(v) {
					t.Fatalf("%s(%x, %x) = %x, want the residue %x", name, *a, *b, *v, mod(want))
				}
			}
			var v Element
			check("Add", v.Add(a, b), new(big.Int).Add(x, y))
			check("Sub", v.Sub(a, b), new(big.Int).Sub(x, y))
			check("SubTwice", v.SubTwice(a, b), new(big.Int).Sub(x, new(big.Int).Lsh(y, 1)))
			check("Mul", v.Mul(a, b), new(big.Int).Mul(x, y))
		}
	}
}
