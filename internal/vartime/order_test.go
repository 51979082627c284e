package vartime

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

func TestAddOrder(t *testing.T) {
	p, n := reference.P(), reference.N()
	for _, x := range reference.EdgeInts() {
		if x.Cmp(n) >= 0 {
			continue
		}
		var r scalar.Scalar
		r.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
		sum := new(big.Int).Add(x, n)
		var got field.Element
		if ok := AddOrder(&got, &r); ok != (sum.Cmp(p) < 0) {
			t.Errorf("AddOrder(%x) = %v", x, ok)
		} else if ok {
			var b [32]byte
			if got.PutBytes(&b); new(big.Int).SetBytes(b[:]).Cmp(sum) != 0 {
				t.Errorf("%x + n = %x, want %x", x, b, sum)
			}
		}
	}
}

// Points with x below n, and with x from n on, which has lost n.
func TestEqualXModN(t *testing.T) {
	c, n := reference.Secp256k1(), reference.N()
	near := 0
	for d := int64(-30); d < 60; d++ {
		for _, x := range []*big.Int{new(big.Int).Add(n, big.NewInt(d)), big.NewInt(d)} {
			P, ok := c.LiftX(x, d%2 == 0)
			if x.Sign() < 0 || !ok {
				continue
			}
			var a point.Affine
			a.X.SetBytes((*[32]byte)(P.X.FillBytes(make([]byte, 32))))
			a.Y.SetBytes((*[32]byte)(P.Y.FillBytes(make([]byte, 32))))
			var j point.Jacobian
			j.SetAffine(&a)
			scale(&j)
			for e := int64(-1); e <= 1; e++ {
				r := new(big.Int).Mod(new(big.Int).Add(x, big.NewInt(e)), n)
				var s scalar.Scalar
				s.SetBytes((*[32]byte)(r.FillBytes(make([]byte, 32))))
				if got, want := EqualXModN(&j, &s), new(big.Int).Mod(x, n).Cmp(r) == 0; got != want {
					t.Errorf("x = %x, r = %x: %v, want %v", x, r, got, want)
				} else if got && x.Cmp(n) >= 0 {
					near++
				}
			}
			if EqualXModN(new(point.Jacobian).SetInfinity(), new(scalar.Scalar)) {
				t.Error("infinity has an x coordinate")
			}
		}
	}
	if near < 10 {
		t.Errorf("%d points with x ≥ n", near)
	}
}

// scale gives j another Z.
func scale(j *point.Jacobian) {
	var z, zz field.Element
	z.SetUint64(12345)
	zz.Square(&z)
	j.X.Mul(&j.X, &zz)
	zz.Mul(&zz, &z)
	j.Y.Mul(&j.Y, &zz)
	j.Z.Mul(&j.Z, &z)
}

func TestBelowPMinusN(t *testing.T) {
	span := new(big.Int).Sub(reference.P(), reference.N())
	for _, shift := range []uint{0, 63, 64, 65, 127, 128, 129, 192, 255} {
		for d := int64(-2); d <= 2; d++ {
			step := new(big.Int).Mul(new(big.Int).Lsh(big.NewInt(1), shift), big.NewInt(d))
			x := step.Add(step, span)
			if x.Sign() < 0 || x.Cmp(reference.N()) >= 0 {
				continue
			}
			l := vartimetest.Scalar(x).Limbs()
			if got, want := belowPMinusN(&l), x.Cmp(span) < 0; got != want {
				t.Errorf("belowPMinusN(%x) = %v", x, got)
			}
		}
	}
}
