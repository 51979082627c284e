package dsa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A signed is a signature (r, s) of the number z by the key q.
type signed struct {
	r, s, z scalar.Scalar
	id      byte
	q       point.Affine
}

func sign(rnd *rand.Rand) (v signed) {
	c := reference.Secp256k1()
	key, message := new(big.Int).Mod(reference.RandInt(rnd), c.Order), [32]byte{}
	reference.RandInt(rnd).FillBytes(message[:])
	d, p := number(key), c.ScalarMult(key, c.G)
	x, y := field.Element{}, field.Element{}
	x.SetBytes((*[32]byte)(p.X.FillBytes(make([]byte, 32))))
	y.SetBytes((*[32]byte)(p.Y.FillBytes(make([]byte, 32))))
	v.q = point.Affine{X: x, Y: y}
	SetHash(&v.z, message[:])
	v.id = Sign(&v.r, &v.s, nil, &d, &v.z, &message, nil)
	return v
}

// recovered returns the key that recovery with the given id finds.
func (v *signed) recovered(id byte) (q point.Affine, ok bool) {
	var x field.Element
	var R point.Affine
	if !NonceX(&x, &v.r, id) || !NoncePoint(&R, &x, id) {
		return q, false
	}
	return q, Recover(&q, &v.r, &v.s, &v.z, &R)
}

// TestVerify checks that a signature verifies only under its key and with its numbers, and that the
// key can be recovered from it.
func TestVerify(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	other := sign(rnd)
	var zero scalar.Scalar
	one := number(big.NewInt(1))
	for range 20 {
		v := sign(rnd)
		if v.s.IsHigh().Bool() || !Verify(&v.r, &v.s, &v.z, &v.q, nil) ||
			!VerifyRecoverable(&v.r, &v.s, &v.z, &v.q, v.id) {
			t.Fatalf("a signature does not verify: %+v", v)
		}
		for _, number := range []func(*signed) *scalar.Scalar{
			func(v *signed) *scalar.Scalar { return &v.r },
			func(v *signed) *scalar.Scalar { return &v.s },
			func(v *signed) *scalar.Scalar { return &v.z },
		} {
			bad := v
			number(&bad).Add(number(&bad), &one)
			if Verify(&bad.r, &bad.s, &bad.z, &bad.q, nil) ||
				VerifyRecoverable(&bad.r, &bad.s, &bad.z, &bad.q, bad.id) {
				t.Errorf("a signature verifies with another number: %+v", bad)
			}
		}
		if Verify(&v.r, &v.s, &v.z, &other.q, nil) ||
			VerifyRecoverable(&v.r, &v.s, &v.z, &other.q, v.id) {
			t.Error("a signature verifies under another key")
		}
		for _, bad := range []signed{{r: zero, s: v.s}, {r: v.r, s: zero}} {
			if Verify(&bad.r, &bad.s, &v.z, &v.q, nil) ||
				VerifyRecoverable(&bad.r, &bad.s, &v.z, &v.q, v.id) {
				t.Error("a signature verifies with a zero")
			}
		}
		for id := range byte(4) {
			q, ok := v.recovered(id)
			if same := ok && q == v.q; same != (id == v.id) {
				t.Errorf("the recovery id %d leads to the key: %v, and the id is %d", id, same, v.id)
			}
			if VerifyRecoverable(&v.r, &v.s, &v.z, &v.q, id) != (id == v.id) {
				t.Errorf("the recovery id %d does as well as %d", id, v.id)
			}
		}
	}
}
