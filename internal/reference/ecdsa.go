package reference

import (
	"crypto/hmac"
	"crypto/sha256"
	"math/big"
)

// HashInt returns the integer that ECDSA signs for a hash: its leftmost 256 bits, big-endian, not
// reduced modulo n (SEC 1 version 2, section 4.1.3, step 5).
func HashInt(hash []byte) *big.Int {
	if len(hash) > 32 {
		hash = hash[:32]
	}
	return new(big.Int).SetBytes(hash)
}

// SignECDSA signs hash with the private key d and the nonce k, both in [1, n), by SEC 1 section
// 4.1.3. s may be high or low. id is the recovery id, 0 to 3: bit 0 is the parity of the y
// coordinate of R = k·G, and bit 1 is 1 if R's x coordinate is n or more. ok is false if this nonce
// gives no signature.
func SignECDSA(d *big.Int, hash []byte, k *big.Int) (r, s *big.Int, id int, ok bool) {
	c := Secp256k1()
	R := c.ScalarMult(k, c.G)
	r = new(big.Int).Mod(R.X, c.Order)
	s = new(big.Int).Mul(r, d)
	s.Add(s, HashInt(hash)).Mul(s, new(big.Int).ModInverse(k, c.Order)).Mod(s, c.Order)
	if r.Sign() == 0 || s.Sign() == 0 {
		return nil, nil, 0, false
	}
	id = int(R.Y.Bit(0))
	if R.X.Cmp(c.Order) >= 0 {
		id |= 2
	}
	return r, s, id, true
}

// LowS returns the lower of s and n - s, and the recovery id of the signature with this s.
func LowS(s *big.Int, id int) (*big.Int, int) {
	if new(big.Int).Lsh(s, 1).Cmp(N()) > 0 {
		return new(big.Int).Sub(N(), s), id ^ 1
	}
	return new(big.Int).Set(s), id
}

// VerifyECDSA reports whether (r, s) is a signature of hash by the key q
// (SEC 1 section 4.1.4). It accepts a high s.
func VerifyECDSA(q Point, hash []byte, r, s *big.Int) bool {
	c := Secp256k1()
	if q.IsInfinity() || !c.IsOnCurve(q) || !inOrder(r) || !inOrder(s) {
		return false
	}
	w := new(big.Int).ModInverse(s, c.Order)
	u1 := new(big.Int).Mul(HashInt(hash), w)
	u2 := new(big.Int).Mul(r, w)
	R := c.Add(c.ScalarMult(u1.Mod(u1, c.Order), c.G), c.ScalarMult(u2.Mod(u2, c.Order), q))
	return !R.IsInfinity() && new(big.Int).Mod(R.X, c.Order).Cmp(r) == 0
}

// RecoverECDSA returns the key under which (r, s) is a signature of hash, if the nonce point R is
// the one that the recovery id selects (SEC 1 section 4.1.6).
func RecoverECDSA(hash []byte, r, s *big.Int, id int) (Point, bool) {
	c := Secp256k1()
	if id < 0 || id > 3 || !inOrder(r) || !inOrder(s) {
		return Point{}, false
	}
	x := new(big.Int).Set(r)
	if id&2 != 0 {
		x.Add(x, c.Order)
	}
	R, ok := c.LiftX(x, id&1 == 1)
	if !ok {
		return Point{}, false
	}
	// Q = r⁻¹·(s·R - e·G) is the key, where e is the hash as an integer.
	q := c.Add(c.ScalarMult(s, R), c.Neg(c.ScalarMult(HashInt(hash), c.G)))
	q = c.ScalarMult(new(big.Int).ModInverse(r, c.Order), q)
	return q, !q.IsInfinity()
}

// NoncesRFC6979 returns a function that yields the nonces of RFC 6979 section 3.2 with HMAC-SHA-256
// for the private key d and the hash, one at each call. extra is the additional data of section 3.6
// and may be empty.
func NoncesRFC6979(d *big.Int, hash, extra []byte) func() *big.Int {
	z := HashInt(hash)
	seed := append(bytes32(d), bytes32(z.Mod(z, N()))...)
	seed = append(seed, extra...)

	k, v := make([]byte, 32), make([]byte, 32)
	for i := range v {
		v[i] = 1
	}
	mac := func(parts ...[]byte) []byte {
		h := hmac.New(sha256.New, k)
		for _, part := range parts {
			h.Write(part)
		}
		return h.Sum(nil)
	}
	for _, round := range []byte{0, 1} { // steps d to g
		k = mac(v, []byte{round}, seed)
		v = mac(v)
	}
	return func() *big.Int { // step h
		for {
			v = mac(v)
			nonce := new(big.Int).SetBytes(v)
			k = mac(v, []byte{0})
			v = mac(v)
			if inOrder(nonce) {
				return nonce
			}
		}
	}
}

func inOrder(x *big.Int) bool { return x.Sign() > 0 && x.Cmp(N()) < 0 }

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }
