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
	*rand.Rand
	lib   *peer.Libsecp
	pool  []pair // pairs of keys, also used for nonces
	block        // of the next cases
}

// A block holds what the cases of a block have in common. Fields of one width in all cases allow
// calls on rows.
type block struct {
	rare   bool // few cases are crafted
	width  int  // of keys: 33 bytes, compressed, or 65
	cut    bool // some keys have random lengths
	bip340 int  // length of messages of BIP-340
}

// A pair is a private key and its public key in 33 bytes.
type pair struct {
	d   *big.Int
	key []byte
}

func (p pair) x() *big.Int { return new(big.Int).SetBytes(p.key[1:]) }

// opposite returns the pair of −d.
func (p pair) opposite() pair {
	return pair{negate(p.d), slices.Concat([]byte{p.key[0] ^ 1}, p.key[1:])}
}

// even returns p or its opposite: the one whose public key has an even y.
func (p pair) even() pair {
	if p.key[0] == 3 {
		return p.opposite()
	}
	return p
}

// poolSize is the number of pairs in use at a time. Each block replaces renewed of them.
const (
	poolSize = 512
	renewed  = 8
)

// order and prime are n and p.
var order, prime = reference.N(), reference.P()

func newGenerator(seed uint64, lib *peer.Libsecp) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6b6f626c69747a)), lib: lib}
	for range poolSize {
		g.pool = append(g.pool, g.newPair(reference.Secret(g)))
	}
	return g
}

// newPair returns the pair of a secret in [1, n).
func (g *generator) newPair(d *big.Int) pair {
	return pair{d, bytes.Clone(g.lib.Short(g.lib.PublicKey(bytes32(d))))}
}

// begin begins a block of the given round.
func (g *generator) begin(round int) {
	g.block = block{rare: round%4 == 3, width: 33, bip340: 32}
	switch round % 3 {
	case 1:
		g.width = 65
	case 2:
		g.cut = true
		g.bip340 = []int{0, 1, 31, 33, 55, 56, 63, 64, 65, 119, 120, 200}[g.IntN(12)]
	}
	for range renewed {
		g.pool[g.IntN(poolSize)] = g.newPair(reference.Secret(g))
	}
}

// pair returns one of the pairs.
func (g *generator) pair() pair { return g.pool[g.IntN(poolSize)] }

func (g *generator) random(n int) []byte { return reference.Bytes(g, n) }

func (g *generator) chance(of int) bool { return g.IntN(of) == 0 }

// craft reports whether the next case must be crafted: half of the cases, or in blocks of mostly
// valid cases one in 400.
func (g *generator) craft() bool {
	if g.rare {
		return g.chance(400)
	}
	return g.chance(2)
}

// number returns 32 bytes. Half of them are biased to edges: see [reference.RandInt].
func (g *generator) number() []byte { return bytes32(reference.RandInt(g)) }

// alter changes one of the numbers of 32 bytes at the end of b, unless its new value would not fit.
// It takes another number, the opposite, or the same number modulo n or p.
func (g *generator) alter(b []byte) {
	if len(b) < 32 {
		return
	}
	b = b[len(b)%32:]
	b = b[32*g.IntN(len(b)/32):][:32]
	x := new(big.Int).SetBytes(b)
	switch g.IntN(7) {
	case 0:
		x = reference.RandInt(g)
	case 1:
		b[g.IntN(32)] ^= 1 << g.IntN(8)
		return
	case 2:
		x.Add(x, order)
	case 3:
		x.Add(x, prime)
	case 4:
		x.Sub(order, x)
	case 5:
		x.Sub(prime, x)
	case 6:
		x = g.pair().x()
	}
	if x.Sign() >= 0 && x.BitLen() <= 256 {
		x.FillBytes(b)
	}
}

// alterKey changes an encoding of a key, which may become invalid. It is never a hybrid encoding,
// which libsecp256k1 accepts and koblitz refuses.
func (g *generator) alterKey(key []byte) {
	if g.chance(4) {
		key[0] = byte(g.IntN(6))
	} else {
		g.alter(key)
	}
}

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

// mod returns x modulo n.
func mod(x *big.Int) *big.Int { return new(big.Int).Mod(x, order) }

func mul(x, y *big.Int) *big.Int { return mod(new(big.Int).Mul(x, y)) }

func add(x, y *big.Int) *big.Int { return mod(new(big.Int).Add(x, y)) }

func negate(x *big.Int) *big.Int { return mod(new(big.Int).Neg(x)) }

func inverse(x *big.Int) *big.Int { return new(big.Int).ModInverse(x, order) }

// encode returns the encoding of a compressed key with the width of the block.
func (g *generator) encode(key []byte) []byte {
	if g.width == 65 {
		return bytes.Clone(g.lib.Long(g.lib.Key(key)))
	}
	return bytes.Clone(key)
}

func (g *generator) keyCase() [][]byte {
	key := g.encode(g.pair().key)
	if g.chance(4) {
		copy(key[1:33], g.random(32))
	}
	if g.craft() {
		g.alterKey(key)
	}
	if g.chance(16) { // x is p or more
		new(big.Int).Add(prime, big.NewInt(int64(g.IntN(32)))).FillBytes(key[1:33])
	}
	if g.cut && g.chance(3) {
		key = slices.Concat(key, g.random(3))[:g.IntN(len(key)+3)]
	}
	return [][]byte{key}
}

func (g *generator) secretCase() [][]byte { return [][]byte{g.number()} }

func (g *generator) ecdhCase() [][]byte {
	key := g.encode(g.pair().key)
	if g.chance(8) {
		g.alterKey(key)
	}
	return [][]byte{g.number(), key}
}

// ellswift returns an encoding of BIP-324. All strings of 64 bytes are encodings.
func (g *generator) ellswift() []byte { return slices.Concat(g.number(), g.number()) }

func (g *generator) ellswiftCase() [][]byte {
	encoding := g.ellswift()
	if g.craft() { // a number or its opposite twice, or a key's x coordinate
		switch x := new(big.Int).SetBytes(encoding[:32]); g.IntN(3) {
		case 0:
			copy(encoding[32:], encoding)
		case 1:
			copy(encoding[32:], bytes32(x.Sub(prime, x.Mod(x, prime))))
		case 2:
			copy(encoding[32*g.IntN(2):], g.pair().key[1:])
		}
	}
	return [][]byte{encoding}
}

func (g *generator) ellswiftSecretCase() [][]byte {
	return [][]byte{g.number(), g.ellswift(), g.ellswift(), {byte(g.IntN(2))}}
}

func (g *generator) tweakCase() [][]byte {
	p := g.pair()
	key, tweak := g.encode(p.key), g.number()
	if g.craft() {
		switch g.IntN(3) {
		case 0: // infinity
			tweak = bytes32(negate(p.d))
		case 1: // a doubling
			tweak = bytes32(p.d)
		case 2:
			g.alterKey(key)
		}
	}
	return [][]byte{key, tweak}
}

func (g *generator) checkCase() [][]byte {
	p := g.pair()
	key, tweak := bytes.Clone(p.key[1:]), g.number()
	even := g.lib.Key(slices.Concat([]byte{2}, key))
	output := bytes.Clone(g.lib.Short(g.lib.Tweak(peer.TweakKeyAdd, even, tweak)))
	if output == nil {
		output = bytes.Clone(g.pair().key)
	}
	x, parity := output[1:], []byte{output[0] & 1}
	if g.craft() {
		switch g.IntN(4) {
		case 0:
			parity[0] ^= 1
		case 1: // more than a bit
			parity[0] = byte(g.Uint32())
		case 2:
			g.alter([][]byte{key, tweak, x}[g.IntN(3)])
		case 3: // infinity
			tweak = bytes32(negate(p.even().d))
		}
	}
	return [][]byte{key, tweak, x, parity}
}

func (g *generator) signCase() [][]byte { return [][]byte{g.number(), g.number(), g.number()} }
