package reference

import (
	"math/big"
	"testing"
)

// TestShortVectors checks that no (u, v) ≠ 0 with u + v·λ ≡ 0 mod n has u² − uv + v² < n. Proofs
// that additions are never exceptional use this fact. For the short vectors this form is n.
func TestShortVectors(t *testing.T) {
	a, b := ShortVectors()
	mul := func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }
	if det := mul(a[0], b[1]); det.Sub(det, mul(a[1], b[0])).CmpAbs(N()) != 0 {
		t.Errorf("determinant %x", det)
	}
	for i := int64(-3); i <= 3; i++ {
		for j := int64(-3); j <= 3; j++ {
			var w [2]*big.Int
			for k := range w {
				w[k] = mul(big.NewInt(i), a[k])
				w[k].Add(w[k], mul(big.NewInt(j), b[k]))
			}
			u, v := w[0], w[1]
			if sum := mul(v, Lambda()); sum.Add(sum, u).Mod(sum, N()).Sign() != 0 {
				t.Errorf("%d, %d: not in the lattice", i, j)
			}
			form := mul(u, u)
			form.Sub(form, mul(u, v)).Add(form, mul(v, v))
			q, rest := form.QuoRem(form, N(), new(big.Int))
			// The signs of i and j depend on the direction of the vectors.
			if n := q.Int64(); rest.Sign() != 0 || n != i*i+i*j+j*j && n != i*i-i*j+j*j {
				t.Errorf("%d, %d: the form is %d·n + %x", i, j, q, rest)
			}
		}
	}
	// So one of |u| and |v| is at least √(n/3), which is above 2^127.
	if third := new(big.Int).Div(N(), big.NewInt(3)); third.BitLen() <= 254 {
		t.Error("n/3 is not above 2^254")
	}
}
