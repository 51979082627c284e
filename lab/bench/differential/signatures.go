package main

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A signed is an ECDSA signature r ‖ s with its key, hash and recovery id.
type signed struct {
	key  []byte // 33 bytes
	hash []byte
	rs   []byte
	id   byte
}

// signature returns the signature of the numbers r and s, whose nonce has the given public key in
// 33 bytes.
func signature(key, nonce, hash []byte, r, s *big.Int) signed {
	id := nonce[0] & 1
	if new(big.Int).SetBytes(nonce[1:]).Cmp(order) >= 0 {
		id |= 2
	}
	return signed{bytes.Clone(key), hash, slices.Concat(bytes32(r), bytes32(s)), id}
}

// low makes s low.
func (sig *signed) low() {
	s := sig.rs[32:]
	if x := new(big.Int).SetBytes(s); x.Cmp(new(big.Int).Rsh(order, 1)) > 0 {
		x.Sub(order, x).FillBytes(s)
		sig.id ^= 1
	}
}

// signed returns a signature, and reports whether it is crafted. Valid signatures satisfy
// s·k = z + r·d, with the nonce k and the hash z. Verification computes u1·G + u2·Q, where
// u1 = z/s, u2 = r/s and Q is the key. A crafted signature meets a rare case there, or is altered.
func (g *generator) signed() (sig signed, crafted bool) {
	p, nonce, hash := g.pair(), g.pair(), g.number()
	r := mod(nonce.x())
	rd := mul(r, p.d)
	s := mul(add(new(big.Int).SetBytes(hash), rd), inverse(nonce.d))
	if !g.craft() {
		return signature(p.key, nonce.key, hash, r, s), false
	}
	var z *big.Int
	switch g.IntN(12) {
	case 0: // u1 = 0
		z = new(big.Int)
		s = mul(rd, inverse(nonce.d))
	case 1: // u1·G = u2·Q
		z = rd
		s = mul(add(rd, rd), inverse(nonce.d))
	case 2: // u1·G = −u2·Q, and the sum is infinity
		z, s = negate(rd), mod(reference.RandInt(g))
	case 3: // any u2
		s = mul(r, inverse(reference.Secret(g)))
		z = add(mul(s, nonce.d), negate(rd))
	case 4: // any u1 except k
		u1 := mod(reference.RandInt(g))
		if u1.Cmp(nonce.d) == 0 {
			u1 = new(big.Int)
		}
		s = mul(rd, inverse(add(nonce.d, negate(u1))))
		z = mul(u1, s)
	case 5:
		if sig, ok := g.large(); ok {
			return sig, true
		}
	}
	if z != nil {
		hash = bytes32(z)
	}
	sig = signature(p.key, nonce.key, hash, r, s)
	if z == nil || g.chance(4) {
		switch g.IntN(4) {
		case 0:
			sig.key = bytes.Clone(g.pair().key)
		case 1:
			g.alter(sig.hash)
		default:
			g.alter(sig.rs)
		}
	}
	return sig, true
}

// large returns a signature with x(R) ≥ n, or with a small r and x(R) = r. It reports false if no R
// has the x coordinate that it has chosen.
func (g *generator) large() (sig signed, ok bool) {
	r := big.NewInt(int64(1 + g.IntN(1<<20)))
	x := new(big.Int).Set(r)
	if g.chance(2) {
		x.Add(x, order)
	}
	nonce := g.lib.Key(slices.Concat([]byte{2 + byte(g.IntN(2))}, bytes32(x)))
	if nonce == nil {
		return sig, false
	}
	u1, u2 := reference.Secret(g), reference.Secret(g) // Q = (R − u1·G) / u2
	q := g.lib.Combine(nonce, g.lib.PublicKey(bytes32(negate(u1))))
	key := g.lib.Short(g.lib.Tweak(peer.TweakKeyMul, q, bytes32(inverse(u2))))
	if key == nil {
		return sig, false
	}
	s := mul(r, inverse(u2))
	return signature(key, g.lib.Short(nonce), bytes32(mul(u1, s)), r, s), true
}

func (g *generator) ecdsaCase() [][]byte { return g.ecdsa(false) }

// lowCase returns a signature whose s is low unless it is crafted.
func (g *generator) lowCase() [][]byte { return g.ecdsa(true) }

func (g *generator) ecdsa(low bool) [][]byte {
	sig, crafted := g.signed()
	if low && !crafted {
		sig.low()
	}
	key := g.encode(sig.key)
	if crafted && g.chance(8) {
		g.alterKey(key)
	}
	return [][]byte{key, sig.hash, sig.rs}
}

// derCase returns a signature in DER with integers in the shortest form, or with changes that may
// make the encoding invalid: of an integer, or of the lengths and the bytes around both.
func (g *generator) derCase() [][]byte {
	sig, _ := g.signed()
	crafted := g.craft()
	if g.chance(2) {
		sig.low()
	}
	number := func(b []byte) []byte {
		b = bytes.TrimLeft(b, "\x00")
		if len(b) == 0 || b[0] >= 0x80 {
			b = slices.Concat([]byte{0}, b)
		}
		if crafted && g.chance(8) { // a superfluous zero, a byte more, or a byte less
			b = slices.Concat([]byte{byte(g.IntN(2))}, b)[2*g.IntN(2):]
		}
		return slices.Concat([]byte{2, byte(len(b))}, b)
	}
	der := slices.Concat(number(sig.rs[:32]), number(sig.rs[32:]))
	if crafted && g.chance(8) {
		der = slices.Concat(der, g.random(2))[:len(der)-1+g.IntN(4)]
	}
	der = slices.Concat([]byte{0x30, byte(len(der))}, der)
	if crafted && g.chance(8) {
		der[1] += byte(g.IntN(5) - 2)
	}
	if crafted && g.chance(4) { // a bit, mostly of a tag or a length
		at := []int{0, 1, 2, 3, 4 + int(der[3]), 5 + int(der[3]), g.IntN(len(der))}[g.IntN(7)]
		der[at%len(der)] ^= 1 << g.IntN(8)
	}
	if crafted && g.chance(8) {
		der = slices.Concat(der, g.random(2))[:g.IntN(len(der)+3)]
	}
	return [][]byte{sig.key, sig.hash, der}
}

// recoverCase returns a signature with a recovery id. Crafted ones may have any id, may give
// infinity, and may have the largest r for which r + n is below p, or a larger one.
func (g *generator) recoverCase() [][]byte {
	sig, crafted := g.signed()
	if crafted {
		switch g.IntN(6) {
		case 0:
			sig.id = byte(g.IntN(4))
		case 1:
			sig.id = byte(g.Uint32())
		case 2: // s·R = z·G, so that the key is infinity
			nonce, s := g.pair(), reference.Secret(g)
			sig = signature(nil, nonce.key, bytes32(mul(s, nonce.d)), mod(nonce.x()), s)
		case 3: // r + n is near p
			r := new(big.Int).Sub(prime, order)
			r.Add(r, big.NewInt(int64(g.IntN(32)-16))).FillBytes(sig.rs[:32])
			sig.id = 2 | byte(g.IntN(2))
		}
	}
	return [][]byte{sig.hash, slices.Concat(sig.rs, []byte{sig.id})}
}

// schnorrCase returns a BIP-340 signature. A crafted one belongs to a key or an R with an odd y, or
// to R at infinity, or a number was altered before or after the computation of the challenge.
func (g *generator) schnorrCase() [][]byte {
	p, nonce := g.pair().even(), g.pair().even()
	key, r, message := bytes.Clone(p.key[1:]), bytes.Clone(nonce.key[1:]), g.random(g.bip340)
	crafted := g.craft()
	if crafted {
		switch g.IntN(8) {
		case 0:
			p = p.opposite()
		case 1:
			nonce = nonce.opposite()
		case 2:
			nonce.d = new(big.Int)
		case 3:
			g.alter([][]byte{key, r}[g.IntN(2)])
		}
	}
	e := new(big.Int).SetBytes(reference.TaggedHash("BIP0340/challenge", r, key, message))
	sig := slices.Concat(r, bytes32(add(nonce.d, mul(e, p.d))))
	if crafted && g.chance(2) {
		g.alter([][]byte{key, message, sig, sig}[g.IntN(4)])
	}
	return [][]byte{key, message, sig}
}
