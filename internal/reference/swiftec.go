package reference

import "math/big"

// A SwiftEC is the map XSwiftEC of BIP-324 and its inverse, for a curve y² = x³ + B over the field
// of a prime P ≡ 7 modulo 12.
type SwiftEC struct {
	P, B *big.Int
	C    *big.Int // a square root of −3
}

// BIP324 returns the map of BIP-324, for secp256k1.
func BIP324() *SwiftEC {
	c, _ := new(big.Int).SetString(
		"0a2d2ba93507f1df233770c2a797962cc61f6d15da14ecd47d8d27ae1cd5f852", 16)
	return &SwiftEC{P: P(), B: big.NewInt(7), C: c}
}

func (m *SwiftEC) mul(x ...*big.Int) *big.Int {
	y := big.NewInt(1)
	for _, x := range x {
		y.Mul(y, x).Mod(y, m.P)
	}
	return y
}

func (m *SwiftEC) add(x ...*big.Int) *big.Int {
	y := new(big.Int)
	for _, x := range x {
		y.Add(y, x)
	}
	return y.Mod(y, m.P)
}

func (m *SwiftEC) neg(x *big.Int) *big.Int { return m.add(new(big.Int).Neg(x)) }

// inverse returns 1/x, and 0 for 0.
func (m *SwiftEC) inverse(x *big.Int) *big.Int {
	if y := new(big.Int).ModInverse(x, m.P); y != nil {
		return y
	}
	return new(big.Int)
}

// G returns x³ + B.
func (m *SwiftEC) G(x *big.Int) *big.Int { return m.add(m.mul(x, x, x), m.B) }

// IsSquare reports whether x is a square. It returns true for 0.
func (m *SwiftEC) IsSquare(x *big.Int) bool { return big.Jacobi(x, m.P) >= 0 }

// Root returns that square root of x which is itself a square.
func (m *SwiftEC) Root(x *big.Int) *big.Int {
	exponent := new(big.Int).Add(m.P, big.NewInt(1))
	return new(big.Int).Exp(x, exponent.Rsh(exponent, 2), m.P)
}

// Candidates returns the three candidates of XSwiftEC(u, t), in the order of BIP-324. One or all of
// them are x coordinates of points.
func (m *SwiftEC) Candidates(u, t *big.Int) [3]*big.Int {
	if u.Sign() == 0 {
		u = big.NewInt(1)
	}
	if t.Sign() == 0 {
		t = big.NewInt(1)
	}
	if m.G(u).Cmp(m.neg(m.mul(t, t))) == 0 {
		t = m.add(t, t)
	}
	X := m.mul(m.add(m.G(u), m.neg(m.mul(t, t))), m.inverse(m.add(t, t)))
	Y := m.mul(m.add(X, t), m.inverse(m.mul(u, m.C)))
	half := m.inverse(big.NewInt(2))
	return [3]*big.Int{
		m.add(u, m.mul(big.NewInt(4), Y, Y)),
		m.mul(m.add(m.neg(m.mul(X, m.inverse(Y))), m.neg(u)), half),
		m.mul(m.add(m.mul(X, m.inverse(Y)), m.neg(u)), half),
	}
}

// Decode returns XSwiftEC(u, t) for u and t in [0, P).
func (m *SwiftEC) Decode(u, t *big.Int) *big.Int {
	candidates := m.Candidates(u, t)
	for _, x := range candidates[:2] {
		if m.IsSquare(m.G(x)) {
			return x
		}
	}
	return candidates[2]
}

// Inverse returns XSwiftECInv(x, u, branch), or nil if there is no t.
func (m *SwiftEC) Inverse(u, x *big.Int, branch int) *big.Int {
	var s, v *big.Int
	if branch&2 == 0 {
		if m.IsSquare(m.G(m.neg(m.add(x, u)))) {
			return nil
		}
		v = x
		s = m.neg(m.mul(m.G(u), m.inverse(m.add(m.mul(u, u), m.mul(u, v), m.mul(v, v)))))
	} else {
		s = m.add(x, m.neg(u))
		if s.Sign() == 0 {
			return nil
		}
		four, three := big.NewInt(4), big.NewInt(3)
		square := m.neg(m.mul(s, m.add(m.mul(four, m.G(u)), m.mul(three, s, u, u))))
		if !m.IsSquare(square) {
			return nil
		}
		r := m.Root(square)
		if branch&1 == 1 && r.Sign() == 0 {
			return nil
		}
		v = m.mul(m.add(m.mul(r, m.inverse(s)), m.neg(u)), m.inverse(big.NewInt(2)))
	}
	if !m.IsSquare(s) {
		return nil
	}
	factor := m.add(big.NewInt(1), m.neg(m.C))
	if branch&1 == 1 {
		factor = m.add(big.NewInt(1), m.C)
	}
	t := m.mul(m.Root(s), m.add(m.mul(u, factor, m.inverse(big.NewInt(2))), v))
	if branch&5 == 0 || branch&5 == 5 {
		t = m.neg(t)
	}
	return t
}
