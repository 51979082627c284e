package main

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A signed is an ECDSA signature with its key, hash and recovery id.
type signed struct {
	key        []byte // 33 bytes
	hash, r, s []byte
	id         byte
}

// recoveryID returns the id of a signature whose R is the given key, in 33 bytes.
func recoveryID(bigR []byte) byte {
	id := bigR[0] & 1
	if new(big.Int).SetBytes(bigR[1:]).Cmp(order) >= 0 {
		id |= 2
	}
	return id
}

// equation returns a signature with r = x(R) for which verification computes u1·G + u2·Q, where R
// is the given key of 33 bytes and u2 is not zero. It is valid if that sum is R.
func equation(key, bigR []byte, u1, u2 *big.Int) signed {
	r := mod(new(big.Int).SetBytes(bigR[1:]))
	s := mul(r, new(big.Int).ModInverse(u2, order))
	return signed{key, bytes32(mul(u1, s)), bytes32(r), bytes32(s), recoveryID(bigR)}
}

// valid returns a valid signature of a random hash or an edge value.
func (g *generator) valid() signed {
	p, k := g.pair(), g.pair()
	hash := g.random(32)
	if g.chance(16) {
		hash = g.edge()
	}
	r := mod(k.x)
	s := mul(k.inverse, add(new(big.Int).SetBytes(hash), mul(r, p.d)))
	return signed{p.key, hash, bytes32(r), bytes32(s), recoveryID(k.key)}
}

// special returns a signature whose verification meets a rare case: x(R) ≥ n, sums of equal or
// opposite points, and scalars at edges.
func (g *generator) special() signed {
	p := g.pair()
	u2 := mod(new(big.Int).SetBytes(g.number()))
	if u2.Sign() == 0 {
		u2.SetInt64(1)
	}
	switch g.rng.IntN(5) {
	case 0: // x(R) ≥ n, or r < p − n without that
		x := big.NewInt(int64(g.rng.IntN(1 << 20)))
		if g.chance(2) {
			x.Add(x, order)
		}
		r := g.lib.Key(slices.Concat([]byte{2 + byte(g.rng.IntN(2))}, bytes32(x)))
		if r == nil {
			return g.valid()
		}
		u1 := g.scalar() // Q = (R − u1·G) / u2
		q := g.lib.Combine(r, g.lib.PublicKey(bytes32(negate(u1))))
		q = g.lib.Tweak(peer.TweakKeyMul, q, bytes32(new(big.Int).ModInverse(u2, order)))
		if q == nil {
			return g.valid()
		}
		return equation(bytes.Clone(g.lib.Short(q)), g.lib.Short(r), u1, u2)
	case 1: // u1·G = u2·Q
		u1 := mul(u2, p.d)
		return equation(p.key, g.publicKey(add(u1, u1)), u1, u2)
	case 2: // u1·G = −u2·Q, and the sum is infinity
		return equation(p.key, g.pair().key, negate(mul(u2, p.d)), u2)
	case 3: // u1 = 0
		return equation(p.key, g.publicKey(mul(u2, p.d)), new(big.Int), u2)
	}
	u1 := mod(new(big.Int).SetBytes(g.edge()))
	bigR := g.publicKey(add(u1, mul(u2, p.d)))
	if bigR == nil {
		bigR = g.pair().key
	}
	return equation(p.key, bigR, u1, u2)
}

// plus returns the number b plus m, or b if that does not fit in 32 bytes.
func plus(b []byte, m *big.Int) []byte {
	if x := new(big.Int).Add(new(big.Int).SetBytes(b), m); x.BitLen() <= 256 {
		return bytes32(x)
	}
	return b
}

// negative returns n − b for a number b in [0, n).
func negative(b []byte) []byte { return bytes32(negate(new(big.Int).SetBytes(b))) }

// spoil returns sig with a change that may make it invalid, or only its s high.
func (g *generator) spoil(sig signed) signed {
	switch g.rng.IntN(10) {
	case 0, 1:
		sig.s = negative(sig.s)
		sig.id ^= 1
	case 2:
		sig.r = g.edge()
	case 3:
		sig.s = g.edge()
	case 4:
		sig.r = plus(sig.r, order)
	case 5:
		sig.s = plus(sig.s, order)
	case 6:
		sig.key = g.pair().key
	case 7:
		sig.hash = g.flip(sig.hash)
	case 8:
		sig.r = g.flip(sig.r)
	case 9:
		sig.r, sig.s = sig.s, sig.r
	}
	return sig
}

// signed returns a signature: half of the crafted ones are special, the others spoiled.
func (g *generator) signed() (sig signed, crafted bool) {
	if !g.craft() {
		return g.valid(), false
	}
	if g.chance(2) {
		if sig = g.special(); g.chance(4) {
			sig = g.spoil(sig)
		}
		return sig, true
	}
	return g.spoil(g.valid()), true
}

func (g *generator) ecdsaCase() [][]byte {
	sig, crafted := g.signed()
	if !crafted && g.low == 1 && new(big.Int).SetBytes(sig.s).Cmp(new(big.Int).Rsh(order, 1)) > 0 {
		sig.s = negative(sig.s)
	}
	key := g.encode(sig.key)
	if crafted && g.chance(8) {
		key = g.spoilKey(key)
	}
	return [][]byte{key, sig.hash, slices.Concat(sig.r, sig.s), {g.low}}
}

// derCase returns a signature in DER with integers in the shortest form, or with changes that may
// make the encoding invalid.
func (g *generator) derCase() [][]byte {
	number := func(b []byte) []byte {
		b = bytes.TrimLeft(b, "\x00")
		if len(b) == 0 || b[0] >= 0x80 {
			b = slices.Concat([]byte{0}, b)
		}
		return slices.Concat([]byte{2, byte(len(b))}, b)
	}
	sig, crafted := g.signed()
	r, s := number(sig.r), number(sig.s)
	if crafted && g.chance(4) { // an integer that begins with a superfluous zero
		r = slices.Concat([]byte{2, r[1] + 1, 0}, r[2:])
	}
	der := slices.Concat([]byte{0x30, byte(len(r) + len(s))}, r, s)
	if crafted && g.chance(4) {
		der = g.flip(der)
	}
	if crafted && g.chance(4) {
		der = slices.Concat(der, g.random(2))[:g.rng.IntN(len(der)+2)]
	}
	return [][]byte{bytes.Clone(sig.key), sig.hash, der}
}

// recoverCase returns a signature with a recovery id. Crafted ones may have any id, and may give
// infinity.
func (g *generator) recoverCase() [][]byte {
	sig, crafted := g.signed()
	if crafted {
		switch g.rng.IntN(6) {
		case 0:
			sig.id = byte(g.rng.IntN(4))
		case 1:
			sig.id = byte(g.rng.Uint32())
		case 2: // s·R = z·G, so that the key is infinity
			k := g.pair()
			s := g.scalar()
			sig = signed{nil, bytes32(mul(s, k.d)), bytes32(mod(k.x)), bytes32(s), k.key[0] & 1}
		}
	}
	return [][]byte{sig.hash, slices.Concat(sig.r, sig.s, []byte{sig.id})}
}

// even returns the secret of p, or its opposite: the one whose public key has an even y.
func (p *pair) even() *big.Int {
	if p.odd() {
		return negate(p.d)
	}
	return p.d
}

// schnorrCase returns a BIP-340 signature.
func (g *generator) schnorrCase() [][]byte {
	p, nonce := g.pair(), g.pair()
	key, message := bytes.Clone(p.key[1:]), g.random(g.bip340)
	d, k, rx := p.even(), nonce.even(), bytes.Clone(nonce.key[1:])
	how := -1
	if g.craft() {
		how = g.rng.IntN(14)
	}
	switch how { // before the challenge is computed
	case 0: // R with an odd y
		k = negate(k)
	case 1: // the key with an odd y
		d = negate(d)
	case 2: // s·G = e·P, so that R is infinity
		k = new(big.Int)
	case 3:
		rx = g.edge()
	case 4:
		key = g.edge()
	case 5:
		rx = plus(rx, prime)
	case 6:
		key = plus(key, prime)
	}
	hash := reference.TaggedHash("BIP0340/challenge", rx, key, message)
	e := mod(new(big.Int).SetBytes(hash))
	s := bytes32(add(k, mul(e, d)))
	switch how { // after it
	case 7:
		s = g.edge()
	case 8:
		s = plus(s, order)
	case 9:
		s = negative(s)
	case 10:
		key = bytes.Clone(g.pair().key[1:])
	case 11:
		message = g.flip(message)
	case 12:
		s = g.flip(s)
	case 13:
		rx = g.flip(rx)
	}
	return [][]byte{key, message, slices.Concat(rx, s)}
}
