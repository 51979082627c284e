package main

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A generator makes cases from a seed. It computes keys by libsecp256k1 and the rest in math/big,
// so that no error of koblitz can change the cases.
type generator struct {
	rng   *rand.Rand
	lib   *peer.Libsecp
	edges [][]byte // numbers of 32 bytes at edges of ranges: 0, n − 1, p, 2²⁵⁶ − 1
	pool  []pair   // pairs of keys, also used for nonces
	block          // of the next cases
}

// A block holds what the cases of a block have in common. Fields of one width in all cases allow
// calls on rows.
type block struct {
	rare    bool // few cases are crafted
	crafted int  // number of crafted cases
	width   int  // of keys: 33 bytes, compressed, or 65
	cut     bool // some keys have random lengths
	low     byte // 1 for the rule that s must be low
	tag     int  // length of tags
	message int  // length of messages
	bip340  int  // length of messages of BIP-340
	terms   int  // of a sum
}

// A pair is a private key and its public key.
type pair struct {
	d, inverse *big.Int
	x          *big.Int
	key        []byte // 33 bytes
}

func (p *pair) odd() bool { return p.key[0] == 3 }

// poolSize is the number of pairs in use at a time. Each block replaces renewed of them.
const (
	poolSize = 512
	renewed  = 8
)

// order and prime are n and p.
var order, prime = reference.N(), reference.P()

func newGenerator(seed uint64, lib *peer.Libsecp) *generator {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0x6b6f626c69747a)), lib: lib}
	for _, x := range reference.EdgeInts() {
		g.edges = append(g.edges, bytes32(x))
	}
	for _, e := range g.edges {
		if isSecret(e) {
			g.pool = append(g.pool, g.pairOf(new(big.Int).SetBytes(e)))
		}
	}
	for len(g.pool) < poolSize {
		g.pool = append(g.pool, g.pairOf(g.scalar()))
	}
	return g
}

// publicKey returns the key of a secret in 33 bytes, or nil if d is 0.
func (g *generator) publicKey(d *big.Int) []byte {
	return bytes.Clone(g.lib.Short(g.lib.PublicKey(bytes32(d))))
}

func (g *generator) pairOf(d *big.Int) pair {
	key := g.publicKey(d)
	return pair{d, new(big.Int).ModInverse(d, order), new(big.Int).SetBytes(key[1:]), key}
}

// begin begins a block. It replaces some random pairs of the pool. Those of edge values stay.
func (g *generator) begin(rare bool) {
	g.block = block{rare: rare, width: 33, cut: g.chance(4), low: byte(g.rng.IntN(2)),
		tag: g.rng.IntN(140), message: g.rng.IntN(300), bip340: 32, terms: 1 + g.rng.IntN(5)}
	if g.chance(3) {
		g.width = 65
	}
	if g.chance(3) {
		g.bip340 = []int{0, 1, 31, 33, 55, 56, 63, 64, 65, 119, 120, 200}[g.rng.IntN(12)]
	}
	if g.chance(8) {
		g.terms = 8 + g.rng.IntN(40)
	}
	for range renewed {
		if p := &g.pool[g.rng.IntN(len(g.pool))]; p.d.BitLen() > 200 {
			*p = g.pairOf(g.scalar())
		}
	}
}

// pair returns one of the pairs.
func (g *generator) pair() *pair { return &g.pool[g.rng.IntN(len(g.pool))] }

// scalar returns a random number in [1, n).
func (g *generator) scalar() *big.Int {
	for {
		if b := g.random(32); isSecret(b) {
			return new(big.Int).SetBytes(b)
		}
	}
}

func (g *generator) random(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(g.rng.Uint32())
	}
	return b
}

func (g *generator) chance(of int) bool { return g.rng.IntN(of) == 0 }

// craft reports whether the next case must be crafted, and counts it: half of the cases, or in
// blocks of mostly valid cases one in 400.
func (g *generator) craft() bool {
	of := 2
	if g.rare {
		of = 400
	}
	if !g.chance(of) {
		return false
	}
	g.crafted++
	return true
}

// edge returns a number of 32 bytes: an edge value, or the sum or difference of an edge value and a
// small number.
func (g *generator) edge() []byte {
	x := new(big.Int).SetBytes(g.edges[g.rng.IntN(len(g.edges))])
	if g.chance(3) {
		x.Add(x, big.NewInt(int64(g.rng.IntN(64)-32)))
	}
	if x.Sign() < 0 || x.BitLen() > 256 {
		return make([]byte, 32)
	}
	return bytes32(x)
}

// number returns 32 bytes, random or an edge value.
func (g *generator) number() []byte {
	if g.chance(4) {
		return g.edge()
	}
	return g.random(32)
}

// flip returns b with one bit changed.
func (g *generator) flip(b []byte) []byte {
	if b = bytes.Clone(b); len(b) > 0 {
		b[g.rng.IntN(len(b))] ^= 1 << g.rng.IntN(8)
	}
	return b
}

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func isZero(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// isSecret reports whether b is a number in [1, n).
func isSecret(b []byte) bool { return !isZero(b) && new(big.Int).SetBytes(b).Cmp(order) < 0 }

// mod returns x modulo n.
func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, order) }

func mul(x, y *big.Int) *big.Int { return mod(new(big.Int).Mul(x, y)) }

func add(x, y *big.Int) *big.Int { return mod(new(big.Int).Add(x, y)) }

func negate(x *big.Int) *big.Int { return mod(new(big.Int).Neg(x)) }

// encode returns the encoding of a compressed key with the width of the block.
func (g *generator) encode(key []byte) []byte {
	if g.width == 65 {
		return bytes.Clone(g.lib.Long(g.lib.Key(key)))
	}
	return bytes.Clone(key)
}

// spoilKey returns a changed encoding of a key with the same length, which may be invalid. It is
// never a hybrid encoding, which libsecp256k1 accepts and koblitz refuses.
func (g *generator) spoilKey(key []byte) []byte {
	key = bytes.Clone(key)
	switch g.rng.IntN(5) {
	case 0:
		key[0] = byte(g.rng.IntN(6))
	case 1:
		copy(key[1:], g.edge())
	case 2: // x plus p if that fits in 256 bits
		if x := new(big.Int).Add(new(big.Int).SetBytes(key[1:33]), prime); x.BitLen() <= 256 {
			copy(key[1:], bytes32(x))
		}
	case 3: // the other y, or an edge value in its place
		if key[0] ^= 1; len(key) == 65 {
			key[0] ^= 1
			copy(key[33:], g.edge())
		}
	case 4:
		copy(key[1:], g.flip(key[1:]))
	}
	if key[0] == 6 || key[0] == 7 {
		key[0] = 4
	}
	return key
}

func (g *generator) keyCase() [][]byte {
	key := g.encode(g.pair().key)
	if g.chance(4) {
		copy(key[1:33], g.random(32))
	}
	if g.craft() {
		key = g.spoilKey(key)
	}
	if g.cut && g.chance(3) {
		key = slices.Concat(key, g.random(3))[:g.rng.IntN(len(key)+3)]
	}
	return [][]byte{key}
}

// secret returns a secret, which may be 0 or n or more if the case is crafted.
func (g *generator) secret() []byte {
	if g.craft() {
		return g.edge()
	}
	return g.random(32)
}

func (g *generator) secretCase() [][]byte {
	return [][]byte{g.secret()}
}

func (g *generator) ecdhCase() [][]byte {
	secret, key := g.secret(), g.encode(g.pair().key)
	if g.chance(8) {
		key = g.spoilKey(key)
	}
	return [][]byte{secret, key}
}

// ellswift returns an encoding of BIP-324. All strings of 64 bytes are encodings.
func (g *generator) ellswift() []byte { return slices.Concat(g.number(), g.number()) }

func (g *generator) ellswiftCase() [][]byte {
	encoding := g.ellswift()
	if g.craft() { // a number or its opposite twice, or a key's x coordinate
		switch x := new(big.Int).SetBytes(encoding[:32]); g.rng.IntN(3) {
		case 0:
			copy(encoding[32:], encoding)
		case 1:
			copy(encoding[32:], bytes32(x.Sub(prime, x.Mod(x, prime))))
		case 2:
			copy(encoding[32*g.rng.IntN(2):], g.pair().key[1:])
		}
	}
	return [][]byte{encoding}
}

func (g *generator) ellswiftSecretCase() [][]byte {
	return [][]byte{g.secret(), g.ellswift(), g.ellswift(), {byte(g.rng.IntN(2))}}
}

func (g *generator) tweakCase() [][]byte {
	p := g.pair()
	key, tweak := g.encode(p.key), g.random(32)
	if g.craft() {
		switch g.rng.IntN(5) {
		case 0: // infinity
			tweak = bytes32(negate(p.d))
		case 1: // a doubling
			tweak = bytes32(p.d)
		case 2:
			key = g.spoilKey(key)
		default:
			tweak = g.edge()
		}
	}
	return [][]byte{key, tweak}
}

func (g *generator) checkCase() [][]byte {
	p := g.pair()
	key, tweak, crafted := p.key[1:], g.random(32), g.craft()
	if crafted && g.chance(3) {
		tweak = g.edge()
	}
	even := g.lib.Key(slices.Concat([]byte{2}, key))
	output := g.lib.Short(g.lib.Tweak(peer.TweakKeyAdd, even, tweak))
	if output == nil {
		output = slices.Concat([]byte{2}, g.edge())
	}
	x, parity := output[1:], output[0]&1
	if crafted {
		switch g.rng.IntN(7) {
		case 0:
			parity ^= 1
		case 5: // more than a bit
			parity ^= byte(g.rng.Uint32())
		case 1:
			x = g.flip(x)
		case 2:
			x = g.edge()
		case 3:
			key = g.edge()
		case 4: // infinity
			d := p.d
			if !p.odd() {
				d = negate(d)
			}
			tweak = bytes32(d)
		}
	}
	return [][]byte{bytes.Clone(key), tweak, bytes.Clone(x), {parity}}
}

func (g *generator) secretTweakCase() [][]byte {
	secret, tweak := g.secret(), g.number()
	if g.chance(8) { // the sum is 0
		tweak = bytes32(negate(new(big.Int).SetBytes(secret)))
	}
	return [][]byte{secret, tweak, {byte(g.rng.IntN(2))}}
}

func (g *generator) hashCase() [][]byte {
	return [][]byte{g.random(g.tag), g.random(g.message)}
}

func (g *generator) signCase() [][]byte {
	return [][]byte{g.secret(), g.number(), g.number()}
}

// sumCase returns a sum. Crafted sums have equal and opposite points, edge scalars, and may be the
// identity.
func (g *generator) sumCase() [][]byte {
	crafted := g.craft()
	var scalars, points [][]byte
	sum, d := new(big.Int), new(big.Int)
	for i := range g.terms {
		p, k := g.pair(), g.scalar()
		key := bytes.Clone(p.key)
		switch {
		case crafted && i > 0 && g.chance(3): // the last term again, or its opposite
			key = bytes.Clone(points[i-1])
			k.SetBytes(scalars[i-1])
			if g.chance(2) {
				key[0] ^= 1
				d = negate(d)
			}
		case crafted && i > 0 && i == g.terms-1 && g.chance(2): // a term that makes the sum zero
			k = negate(mul(sum, p.inverse))
			d = p.d
		default:
			if d = p.d; crafted && g.chance(2) {
				k = mod(new(big.Int).SetBytes(g.edge()))
			}
		}
		sum = add(sum, mul(k, d))
		scalars, points = append(scalars, bytes32(k)), append(points, key)
	}
	return [][]byte{bytes.Join(scalars, nil), bytes.Join(points, nil)}
}

func (g *generator) combineCase() [][]byte {
	var keys [][]byte
	crafted := g.craft()
	for i := range 1 + g.rng.IntN(6) {
		key := bytes.Clone(g.pair().key)
		if crafted && i > 0 && g.chance(2) { // a double, or two keys that cancel
			key = bytes.Clone(keys[i-1])
			key[0] ^= byte(g.rng.IntN(2))
		}
		keys = append(keys, key)
	}
	if crafted && g.chance(8) {
		keys[0] = g.spoilKey(keys[0])
	}
	return [][]byte{bytes.Join(keys, nil)}
}
