package vartime

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestSigned checks that setSigned returns an element or its opposite, also for elements whose
// negation nearly borrows from each limb.
func TestSigned(t *testing.T) {
	values := reference.EdgeInts()
	for i := range uint(257) { // p − 2^i, p − 2^i + 1, 2^i and 2^i − 1
		x := new(big.Int).Lsh(big.NewInt(1), i)
		y := new(big.Int).Sub(reference.P(), x)
		values = append(values,
			x, new(big.Int).Sub(x, big.NewInt(1)),
			y, new(big.Int).Add(y, big.NewInt(1)))
	}
	for _, v := range values {
		y := vartimetest.Element(new(big.Int).Mod(v, reference.P()))
		l := y.Limbs()
		var got, want field.Element
		setSigned(&got, l[0], l[1], l[2], l[3], 0)
		if got != y {
			t.Errorf("%x is %x", l, got.Limbs())
		}
		setSigned(&got, l[0], l[1], l[2], l[3], ^uint64(0))
		if want.Neg(&y); got.Equal(&want) == 0 {
			t.Errorf("the opposite of %x is %x, want %x", l, got.Limbs(), want.Limbs())
		}
	}
}
