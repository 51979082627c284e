package reference

import (
	"bytes"
	"crypto/sha256"
	"math/big"
)

// TaggedHash returns hash_tag of BIP-340: SHA-256(SHA-256(tag) ‖ SHA-256(tag) ‖ parts), where ‖ is
// concatenation.
func TaggedHash(tag string, parts ...[]byte) []byte {
	t := sha256.Sum256([]byte(tag))
	h := sha256.New()
	h.Write(t[:])
	h.Write(t[:])
	for _, part := range parts {
		h.Write(part)
	}
	return h.Sum(nil)
}

// SignBIP340 signs msg with the private key d in [1, n) and 32 bytes aux of auxiliary randomness,
// by "Default Signing" of BIP-340. ok is false if the specification says that signing fails; no
// such input is known.
func SignBIP340(d *big.Int, msg, aux []byte) (sig []byte, ok bool) {
	c := Secp256k1()
	pub := c.ScalarMult(d, c.G)
	d = evenKey(d, pub)
	px := bytes32(pub.X)

	t := bytes32(d)
	for i, b := range TaggedHash("BIP0340/aux", aux) {
		t[i] ^= b
	}
	k := new(big.Int).SetBytes(TaggedHash("BIP0340/nonce", t, px, msg))
	if k.Mod(k, c.Order).Sign() == 0 {
		return nil, false
	}
	r := c.ScalarMult(k, c.G)
	k = evenKey(k, r)

	s := new(big.Int).Mul(challenge(bytes32(r.X), px, msg), d)
	s.Add(s, k).Mod(s, c.Order)
	sig = append(bytes32(r.X), bytes32(s)...)
	return sig, VerifyBIP340(px, msg, sig)
}

// VerifyBIP340 reports whether sig is a signature of msg by the x-only key, by
// "Verification" of BIP-340.
func VerifyBIP340(key, msg, sig []byte) bool {
	c := Secp256k1()
	if len(key) != 32 || len(sig) != 64 {
		return false
	}
	q, ok := c.LiftX(new(big.Int).SetBytes(key), false)
	s := new(big.Int).SetBytes(sig[32:])
	if !ok || s.Cmp(c.Order) >= 0 || new(big.Int).SetBytes(sig[:32]).Cmp(P()) >= 0 {
		return false
	}
	e := challenge(sig[:32], key, msg)
	r := c.Add(c.ScalarMult(s, c.G), c.Neg(c.ScalarMult(e, q)))
	return !r.IsInfinity() && r.Y.Bit(0) == 0 && bytes.Equal(bytes32(r.X), sig[:32])
}

func challenge(rx, px, msg []byte) *big.Int {
	e := new(big.Int).SetBytes(TaggedHash("BIP0340/challenge", rx, px, msg))
	return e.Mod(e, N())
}

// evenKey returns k or n - k, whichever is the private key of a point with even y. a must be k·G.
func evenKey(k *big.Int, a Point) *big.Int {
	if a.Y.Bit(0) == 1 {
		return new(big.Int).Sub(N(), k)
	}
	return new(big.Int).Set(k)
}
