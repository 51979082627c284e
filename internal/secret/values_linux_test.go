//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding"
	"encoding/base64"
	"fmt"
	"math/big"
	"slices"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// needles has methods that add the numbers of this library's computations.
type needles struct{ secrettest.Needles }

// values holds the secrets and the result of a run. The functions of values in this file add
// numbers to the needles n: the numbers that an operation must not leave in memory, for which the
// test searches.
type values struct {
	d, e         *big.Int
	hash, random []byte
	out          [96]byte
}

// aKey adds the private key d to n.
func aKey(v *values, n *needles) { n.number("d", v.d) }

// anEncodedKey adds to n the private key d, and its digits of base64 in the PEM of package pkix, in
// which d begins at byte 7 of an EC key and at byte 36 of a PKCS #8 key.
func anEncodedKey(v *values, n *needles) {
	aBaseMult(v, n)
	b := v.d.FillBytes(make([]byte, 32))
	n.AddBytes("the base64 of an EC key", []byte(base64.StdEncoding.EncodeToString(b[2:])))
	n.AddBytes("the base64 of a PKCS #8 key", []byte(base64.StdEncoding.EncodeToString(b[:30])))
}

func twoNumbers(v *values, n *needles) {
	aKey(v, n)
	n.number("e", v.e)
}

// computedNumbers adds to n the secrets d and e, and what operations of scalars compute from them:
// sum, difference and product, the square and the inverse of d, and the number that d and e encode
// together. The words are those of values that are not reduced yet.
func computedNumbers(v *values, n *needles) {
	twoNumbers(v, n)
	sum, product := new(big.Int).Add(v.d, v.e), new(big.Int).Mul(v.d, v.e)
	square, wide := new(big.Int).Mul(v.d, v.d), new(big.Int).Lsh(v.d, 256)
	n.number("d + e", sum)
	n.AddBytes("the words of d + e", sum.FillBytes(make([]byte, 40)))
	n.number("d - e", new(big.Int).Sub(v.d, v.e))
	n.number("d·e", product)
	n.AddBytes("the words of d·e", product.FillBytes(make([]byte, 64)))
	n.number("d²", square)
	n.AddBytes("the words of d²", square.FillBytes(make([]byte, 64)))
	n.number("1/d", new(big.Int).ModInverse(v.d, reference.N()))
	n.number("the number d·2^256 + e", wide.Add(wide, v.e))
}

// evenKey returns the key d, negated if the y coordinate of d·G is odd, and the x coordinate.
func evenKey(d *big.Int) (even *big.Int, x []byte) {
	encoded := compressed(d)
	if encoded[0] == 3 {
		d = new(big.Int).Sub(reference.N(), d)
	}
	return d, encoded[1:]
}

// compressed returns the compressed encoding of k·G.
func compressed(k *big.Int) []byte { return encoded(affine(baseMult(k))) }

func encoded(a point.Affine) []byte {
	var x [32]byte
	a.X.PutBytes(&x)
	return append([]byte{2 + byte(a.Y.IsOdd())}, x[:]...)
}

// aTaprootKey adds to n the key d, the tweak of BIP-341 for a Merkle root that is v.hash, and the
// tweaked key.
func aTaprootKey(v *values, n *needles) {
	aKey(v, n)
	d, x := evenKey(v.d)
	tweak := bigInt(reference.TaggedHash("TapTweak", x, v.hash))
	n.number("the tweak", tweak)
	n.number("the tweaked key", new(big.Int).Add(d, tweak))
}

// aNewNumber adds to n the number that the operation made.
func aNewNumber(v *values, n *needles) { n.number("the number", bigInt(v.out[:32])) }

// aBaseMult adds to n the secret intermediate values of computing d·G.
func aBaseMult(v *values, n *needles) {
	aKey(v, n)
	n.baseMult("d", v.d)
}

// aScalarMult adds to n the secret intermediate values of computing d·P for P = 2·G, and the
// result.
func aScalarMult(v *values, n *needles) {
	aPublicMult(v, n)
	n.affine("d·P", affine(scalarMult(v.d, big.NewInt(2))))
}

// aPublicMult adds to n the secret intermediate values of computing d·P for P = 2·G, when the
// result is public.
func aPublicMult(v *values, n *needles) {
	aKey(v, n)
	n.scalarMult("d", v.d, big.NewInt(2))
}

// aSecretMult adds to n the secret intermediate values of computing e·P for P = d·G, and both
// points.
func aSecretMult(v *values, n *needles) {
	aPoint(v, n)
	n.scalarMult("e", v.e, v.d)
	n.affine("e·P", affine(scalarMult(v.e, v.d)))
}

// aDenominator adds to n the Jacobian coordinates of d·G.
func aDenominator(v *values, n *needles) { n.jacobian("d·G", baseMult(v.d)) }

// anAffinePoint adds to n the powers of 1/Z by which d·G becomes affine.
func anAffinePoint(v *values, n *needles) { n.inverses("d·G", baseMult(v.d)) }

// aPoint adds to n the coordinates of d·G.
func aPoint(v *values, n *needles) {
	aDenominator(v, n)
	n.affine("d·G", affine(baseMult(v.d)))
}

// twoPoints adds to n the coordinates of d·G and e·G.
func twoPoints(v *values, n *needles) {
	aPoint(v, n)
	n.jacobian("e·G", baseMult(v.e))
	n.affine("e·G", affine(baseMult(v.e)))
}

// anECDSA adds to n the secrets of an ECDSA signature (r, s) of the hash z, with s = (z + r·d)/k.
func anECDSA(v *values, n *needles) {
	aKey(v, n)
	order := reference.N()
	z, r, s := reference.HashInt(v.hash), bigInt(v.out[:32]), bigInt(v.out[32:64])
	product := new(big.Int).Mul(r, v.d)
	sum := new(big.Int).Add(product, z)
	k := new(big.Int).ModInverse(s, order)
	k.Mul(k, sum).Mod(k, order)
	n.number("r·d", product)
	n.AddBytes("the words of r·d", product.FillBytes(make([]byte, 64)))
	n.number("z + r·d", sum)
	n.nonce(k)
	n.number("1/k", new(big.Int).ModInverse(k, order))
	n.unblinded(v, k)
	z.Mod(z, order)
	n.hmacKeys(v.d, z, nil)
	n.hmacKeys(v.d, z, v.random) // as entropy
}

// unblinded adds to n the secret intermediate values of multiplying the base by the nonce k without
// the blinding e. Keys of some operations are blinded.
func (n *needles) unblinded(v *values, k *big.Int) {
	difference := new(big.Int).Sub(k, v.e)
	n.number("k − b", difference)
	n.baseMult("k − b", difference)
}

// aSchnorr adds to n the secrets of a BIP-340 signature, with s = k + e·d for the challenge e.
func aSchnorr(v *values, n *needles) {
	aBaseMult(v, n)
	d, x := evenKey(v.d)
	challenge := bigInt(reference.TaggedHash("BIP0340/challenge", v.out[:32], x, v.hash))
	product := challenge.Mul(challenge, d)
	n.number("e·d", product)
	n.AddBytes("the words of e·d", product.FillBytes(make([]byte, 64)))
	k := new(big.Int).Sub(bigInt(v.out[32:64]), product)
	n.nonce(k)
	n.unblinded(v, k)
	// The nonce is a hash of the key masked with a hash of the auxiliary randomness. So these three
	// values are secret as well.
	n.AddBytes("auxiliary randomness", v.random)
	mask := reference.TaggedHash("BIP0340/aux", v.random)
	n.AddBytes("the mask", mask)
	for i, b := range d.FillBytes(make([]byte, 32)) {
		mask[i] ^= b
	}
	n.AddBytes("the masked key", mask)
	tag := sha256.Sum256([]byte("BIP0340/nonce"))
	n.AddBytes("the hash of the masked key", hashState(slices.Concat(tag[:], tag[:], mask, x)))
}

// hashState returns the state of SHA-256 after whole blocks.
func hashState(blocks []byte) []byte {
	h := sha256.New()
	h.Write(blocks)
	b, err := h.(encoding.BinaryAppender).AppendBinary(nil)
	if err != nil {
		panic(err)
	}
	return b[4:36]
}

// nonce adds to n the nonce k and the Jacobian coordinates of k·G.
func (n *needles) nonce(k *big.Int) {
	n.number("k", k)
	n.baseMult("k", k)
}

// number adds x and its negative modulo the group order to n.
func (n *needles) number(name string, x *big.Int) {
	x = new(big.Int).Mod(x, reference.N())
	n.Add(name, x)
	n.Add("n − "+name, x.Sub(reference.N(), x))
}

// baseMult adds to n the secret intermediate values of computing k·G: the digits of k in the
// function of package ecmult for one multiple, those in its function for a multiple in each lane,
// and the coordinates of k·G.
func (n *needles) baseMult(name string, k *big.Int) {
	order := reference.N()
	k = new(big.Int).Mod(k, order)
	odd := k
	if k.Bit(0) == 0 {
		odd = new(big.Int).Sub(order, k)
	}
	digits := new(big.Int).Rsh(odd, 1)
	n.Add("the digits of "+name, digits)
	n.Add("the digits in lanes of "+name, new(big.Int).SetBit(digits, 255, 1))
	n.oddHalves(name, k)
	n.jacobian(name+"·G", baseMult(k))
}

// scalarMult adds the secret intermediate values of computing k·P for P = p·G to n: the two halves
// of k, their digits in package ecmult, and the Jacobian coordinates of k·P.
func (n *needles) scalarMult(name string, k, p *big.Int) {
	var v scalar.Scalar
	setScalar(&v, k)
	n.halves(name, &v)
	n.oddHalves(name, k)
	h1, h2 := v.SplitOdd(130)
	for _, h := range []scalar.OddHalf{h1, h2} {
		n.AddLimbs("the digits in lanes of "+name, h.L0, h.L1)
	}
	product := scalarMult(k, p)
	n.jacobian(name+"·P", product)
	n.homogeneous(name+"·P", product)
}

// oddHalves adds to n the odd digits with which package ecmult multiplies by k. Let (k − 1 − λ)/2 =
// h1 + h2·λ. Then k = (2·h1 + 1) + (2·h2 + 1)·λ, and the bits of the digits of half i are those of
// hi + 2^(l−1). In lanes l is 132, and these bits are cut into four parts.
func (n *needles) oddHalves(name string, k *big.Int) {
	var v, one, lambda scalar.Scalar
	setScalar(&v, k)
	setScalar(&lambda, reference.Lambda())
	v.Sub(&v, lambda.Add(&lambda, one.One()))
	v.Half(&v)
	n.halves("the digits of "+name, &v)
	for i, h := range split(&v) {
		h.Add(h, new(big.Int).Lsh(big.NewInt(1), 131))
		n.AddParts(fmt.Sprintf("the digits of half %d of %s", i+1, name), h.Bytes(), 132, 33)
	}
}

// halves adds to the needles the absolute values of the halves of v, and their negatives modulo
// 2^128.
func (n *needles) halves(name string, v *scalar.Scalar) {
	h1, h2 := v.Split()
	for i, h := range []scalar.Half{h1, h2} {
		name := []string{"the first half of ", "the second half of "}[i] + name
		n.AddLimbs(name, h.Lo, h.Hi)
		n.AddLimbs("the negative of "+name, -h.Lo, ^h.Hi)
	}
}

// split returns the halves of v.
func split(v *scalar.Scalar) (halves [2]*big.Int) {
	h1, h2 := v.Split()
	for i, h := range []scalar.Half{h1, h2} {
		x := new(big.Int).SetUint64(h.Hi)
		x.Lsh(x, 64).Add(x, new(big.Int).SetUint64(h.Lo))
		if h.Neg.Bool() {
			x.Neg(x)
		}
		halves[i] = x
	}
	return halves
}

func (n *needles) jacobian(name string, p *point.Jacobian) {
	n.element("X of "+name, &p.X)
	n.element("Y of "+name, &p.Y)
	n.element("Z of "+name, &p.Z)
	n.inverses(name, p)
}

// inverses adds to the needles the powers of 1/Z by which the coordinates of p become affine.
func (n *needles) inverses(name string, p *point.Jacobian) {
	var v field.Element
	v.Invert(&p.Z)
	n.element("1/Z of "+name, &v)
	z := v
	n.element("1/Z² of "+name, v.Square(&v))
	n.element("1/Z³ of "+name, v.Mul(&v, &z))
}

// homogeneous adds to the needles the homogeneous coordinates X/Z, Y/Z² and Z of p, which package
// parallel computes.
func (n *needles) homogeneous(name string, p *point.Jacobian) {
	var x, y, inverse field.Element
	inverse.Invert(&p.Z)
	x.Mul(&p.X, &inverse)
	y.Mul(&p.Y, &inverse)
	y.Mul(&y, &inverse)
	n.element("homogeneous X of "+name, &x)
	n.element("homogeneous Y of "+name, &y)
}

func (n *needles) affine(name string, a point.Affine) {
	n.element("x of "+name, &a.X)
	n.element("y of "+name, &a.Y)
}

// element adds to the needles the canonical value of x and, if x has limbs of 29 bits in 32-bit
// words, pairs of these limbs, which may have more bits.
func (n *needles) element(name string, x *field.Element) {
	l := x.Limbs()
	n.AddLimbs(name, l[:]...)
	if field.Size == 32 {
		return
	}
	image := (*[field.Size]byte)(unsafe.Pointer(x))
	for i := 0; i+8 <= len(image); i += 4 {
		n.AddBytes("limbs of "+name, image[i:i+8])
	}
}

// hmacKeys adds to the needles the keys K of RFC 6979, section 3.2, the blocks that HMAC makes from
// them, and the states of SHA-256 after these blocks.
func (n *needles) hmacKeys(d, hash *big.Int, extra []byte) {
	for _, block := range n.hmacBlocks(d, hash, extra) {
		n.AddBytes("K under a pad", block[:32])
		n.AddBytes("the hash of K under a pad", hashState(block))
	}
}

// hmacBlocks adds K and V to the needles, and returns the blocks that HMAC makes from K.
func (n *needles) hmacBlocks(d, hash *big.Int, extra []byte) (blocks [][]byte) {
	mac := func(key []byte, parts ...[]byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write(slices.Concat(parts...))
		return h.Sum(nil)
	}
	k, v := make([]byte, 32), slices.Repeat([]byte{1}, 32)
	x, z := d.FillBytes(make([]byte, 32)), hash.FillBytes(make([]byte, 32))
	for i := range 2 {
		k = mac(k, v, []byte{byte(i)}, x, z, extra)
		v = mac(k, v)
		n.AddBytes("K", k)
		n.AddBytes("V", v)
		for _, pad := range []byte{0x36, 0x5c} {
			block := append(slices.Clone(k), make([]byte, 32)...)
			for i := range block {
				block[i] ^= pad
			}
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// aHash adds to n the states of SHA-256 after the blocks of hmacBlocks, for the hash 0.
func aHash(v *values, n *needles) {
	var others needles
	for _, block := range others.hmacBlocks(v.d, new(big.Int), nil) {
		n.AddBytes("the hash of K under a pad", hashState(block))
	}
}

func bigInt(b []byte) *big.Int { return new(big.Int).SetBytes(b) }

func setScalar(v *scalar.Scalar, x *big.Int) {
	x = new(big.Int).Mod(x, reference.N())
	v.SetBytes((*[32]byte)(x.FillBytes(make([]byte, 32))))
}

// baseMult returns x·G with the same denominator that package ecmult computes.
func baseMult(x *big.Int) *point.Jacobian {
	var v scalar.Scalar
	setScalar(&v, x)
	r := new(point.Jacobian)
	ecmult.ScalarBaseMult(r, &v)
	return r
}

// scalarMult returns x·(y·G) with the same denominator that package ecmult computes.
func scalarMult(x, y *big.Int) *point.Jacobian {
	var v scalar.Scalar
	setScalar(&v, x)
	r, p := new(point.Jacobian), affine(baseMult(y))
	ecmult.ScalarMult(r, &v, &p)
	return r
}

func affine(p *point.Jacobian) point.Affine {
	var a point.Affine
	a.SetJacobian(p)
	a.Normalize()
	return a
}
