package ecdsa

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func setScalar(v *scalar.Scalar, x *big.Int) {
	v.SetBytes((*[32]byte)(new(big.Int).Mod(x, reference.N()).FillBytes(make([]byte, 32))))
}

// TestSignWith: another nonce is tried if s is 0, which for hashes and nonces that belong
// together comes up once in 2²⁵⁶ times.
func TestSignWith(t *testing.T) {
	d, k := big.NewInt(12345), big.NewInt(67890)
	r := reference.Secp256k1().ScalarMult(k, reference.Secp256k1().G).X
	zero := new(big.Int).Mul(r, d)
	zero.Neg(zero)
	for _, add := range []int64{0, 1} {
		var key, z, nonce scalar.Scalar
		setScalar(&key, d)
		setScalar(&z, new(big.Int).Add(zero, big.NewInt(add)))
		setScalar(&nonce, k)
		var sig Signature
		if _, ok := sig.signWith(&key, &z, &nonce); ok != (add != 0) || sig.s.IsZero() != (add == 0) {
			t.Errorf("s = %d/k is %v, and ok %v", add, sig.s, ok)
		}
	}
}
