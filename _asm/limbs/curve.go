package limbs

import "math/big"

// This file holds the curve constants that kernels use. The library defines the same constants in
// internal/field and internal/scalar. The tests of the kernels compare results with
// internal/reference, and so check the constants too.

// C is 2^256 − p, for the field prime p.
const C = 1<<32 + 977

// N returns the order n of the group of curve points.
func N() *big.Int {
	return number("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
}

// D returns 2^256 − n, for the group order n. It has 129 bits.
func D() *big.Int {
	d := new(big.Int).Lsh(big.NewInt(1), 256)
	return d.Sub(d, N())
}

// lambda returns λ, the number modulo n with (β·x, y) = λ·(x, y) for every curve point (x, y).
func lambda() *big.Int {
	return number("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72")
}

// Beta returns β, the cube root of 1 modulo p with (β·x, y) = λ·(x, y).
func Beta() *big.Int {
	return number("7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee")
}

func number(hex string) *big.Int {
	x, ok := new(big.Int).SetString(hex, 16)
	if !ok {
		panic("not a number: " + hex)
	}
	return x
}

// ShortVector returns a1 and b1 of the short vector v1 = (a1, −b1) in the lattice of all pairs (u,
// v) with u + v·λ ≡ 0 modulo n. In Euclid's algorithm on n and λ, a1 is the first remainder below
// 2^128, and b1 is the coefficient with b1·λ ≡ a1 modulo n. See docs/endomorphism.md.
func ShortVector() (a1, b1 *big.Int) {
	r0, r1 := N(), lambda()
	t0, t1 := new(big.Int), big.NewInt(1)
	for r1.BitLen() > 128 {
		q, r := new(big.Int).DivMod(r0, r1, new(big.Int))
		r0, r1 = r1, r
		t0, t1 = t1, new(big.Int).Sub(t0, q.Mul(q, t1))
	}
	return r1, t1
}

// Word returns the 64-bit limb i of x.
func Word(x *big.Int, i int) uint64 {
	y := new(big.Int).Rsh(x, uint(64*i))
	return y.And(y, new(big.Int).SetUint64(1<<64-1)).Uint64()
}
