//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"bytes"
	"encoding/binary"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/operations"
	"github.com/koblitz-go/koblitz/musig2"
)

// aSumOfProducts adds to n the secret intermediate values of computing d·Q + e·P for P = d·G and Q
// = e·G, and the result.
func aSumOfProducts(v *values, n *needles) {
	aPoint(v, n)
	twoNumbers(v, n)
	n.scalarMult("d", v.d, v.e)
	n.scalarMult("e", v.e, v.d)
	sum := new(big.Int).Mul(v.d, v.e)
	n.affine("the sum", affine(baseMult(sum.Lsh(sum, 1).Mod(sum, reference.N()))))
}

// aLagrange adds to n the identifiers d and e, and their Lagrange coefficients.
func aLagrange(v *values, n *needles) {
	computedNumbers(v, n)
	difference := new(big.Int).Sub(v.e, v.d)
	inverse := new(big.Int).ModInverse(new(big.Int).Mod(difference, reference.N()), reference.N())
	n.number("e - d", difference)
	n.number("e/(e - d)", new(big.Int).Mul(v.e, inverse))
	n.number("d/(d - e)", inverse.Mul(inverse, v.d).Neg(inverse))
}

// anEqualityProof adds to n the key d, the masked key, the nonce, and the secret intermediate
// values of multiplying G and the point 2·G by both.
func anEqualityProof(v *values, n *needles) {
	n.equality(v, big.NewInt(1))
	n.baseMult("d", v.d)
}

// anEqualityProofOfPeers adds to n the secrets of a proof for the generator 2·G.
func anEqualityProofOfPeers(v *values, n *needles) { n.equality(v, big.NewInt(2)) }

// equality adds to n the secrets of a proof for the generator g·G and the point 2·G.
func (n *needles) equality(v *values, g *big.Int) {
	aKey(v, n)
	two := big.NewInt(2)
	n.AddBytes("auxiliary randomness", v.random)
	mask := reference.TaggedHash("BIP0374/aux", v.random)
	n.AddBytes("the mask", mask)
	t := v.d.FillBytes(make([]byte, 32))
	for i := range t {
		t[i] ^= mask[i]
	}
	n.AddBytes("the masked key", t)
	a, c := new(big.Int).Mul(v.d, g), new(big.Int).Mul(v.d, two)
	a.Mod(a, reference.N())
	c.Mod(c, reference.N())
	k := bigInt(reference.TaggedHash("BIP0374/nonce", t, compressed(a), compressed(c)))
	n.number("k", k)
	n.scalarMult("d", v.d, two)
	n.scalarMult("k", k, two)
	if g.Cmp(two) != 0 {
		n.baseMult("k", k)
	}
}

// expanded adds to n the hash of d to the given number of bytes, and returns the numbers that its
// pieces of 48 bytes encode.
func (n *needles) expanded(v *values, size int) (numbers []*big.Int) {
	b := make([]byte, size)
	hash.ExpandXMD(b, v.d.FillBytes(make([]byte, 32)), []byte(operations.Tag))
	n.AddBytes("the bytes of the hash", b)
	for ; len(b) > 0; b = b[48:] {
		numbers = append(numbers, new(big.Int).SetBytes(b[:48]))
	}
	return numbers
}

// aHashedScalar adds to n the number d and its hash to a scalar.
func aHashedScalar(v *values, n *needles) {
	aKey(v, n)
	n.number("the hash", n.expanded(v, 48)[0])
}

// aHashedPoint returns a function that adds to n the number d, its hash to a point, which the
// operation returned, and the one or two field elements that are mapped to the curve, which take
// the given number of bytes.
func aHashedPoint(size int) func(v *values, n *needles) {
	return func(v *values, n *needles) {
		aKey(v, n)
		for _, u := range n.expanded(v, size) {
			u.Mod(u, reference.P())
			n.Add("a field element", u)
		}
		p, ok := reference.Secp256k1().LiftX(new(big.Int).SetBytes(v.out[1:33]), v.out[0] == 3)
		if !ok || bytes.Equal(v.out[:33], make([]byte, 33)) {
			panic("the operation returned no point")
		}
		n.Add("x of the hash", p.X)
		n.Add("y of the hash", p.Y)
	}
}

// labelTweak returns the tweak of a label of the scan key d.
func labelTweak(d *big.Int, label uint32) *big.Int {
	return bigInt(reference.TaggedHash("BIP0352/Label", d.FillBytes(make([]byte, 32)),
		binary.BigEndian.AppendUint32(nil, label)))
}

// aLabel adds to n the secrets of computing the points of labels.
func aLabel(v *values, n *needles) {
	aBaseMult(v, n)
	for _, label := range []uint32{0, operations.Label} {
		t := labelTweak(v.d, label)
		n.number("a label's tweak", t)
		n.baseMult("a label's tweak", t)
	}
}

// sharedTweak adds to n the point k·P for P = 2·G, which is a shared secret, with the intermediate
// values of computing the point, and t_0. It returns t_0.
func (n *needles) sharedTweak(k *big.Int) *big.Int {
	two := big.NewInt(2)
	n.scalarMult("the factor", k, two)
	shared := affine(scalarMult(k, two))
	n.affine("the shared secret", shared)
	t := bigInt(reference.TaggedHash("BIP0352/SharedSecret", encoded(shared), make([]byte, 4)))
	n.number("t_0", t)
	n.baseMult("t_0", t)
	return t
}

// aPayment adds to n the secrets of finding a payment with the public tweak 2·G, and the private
// tweak for operations.Label.
func aPayment(v *values, n *needles) {
	aLabel(v, n)
	t := n.sharedTweak(v.d)
	n.number("the private tweak", new(big.Int).Add(t, labelTweak(v.d, operations.Label)))
}

// aSender adds to n the secrets of a payment to an address with the scan key 2·G, from the inputs d
// and e. e spends a taproot output, and so is negated if the y coordinate of e·G is odd.
func aSender(v *values, n *needles) {
	twoNumbers(v, n)
	order := reference.N()
	e, _ := evenKey(v.e)
	sum := new(big.Int).Add(v.d, e)
	sum.Mod(sum, order)
	n.number("the sum of the inputs", sum)
	n.baseMult("the sum of the inputs", sum)
	h := bigInt(reference.TaggedHash("BIP0352/Inputs", make([]byte, 36), compressed(sum)))
	product := new(big.Int).Mul(h, sum)
	n.number("the product with the input hash", product)
	n.sharedTweak(new(big.Int).Mod(product, order))
}

// aDeterministicNonce adds to n the key d and the nonces that DeterministicSign derives from it.
func aDeterministicNonce(v *values, n *needles) {
	aKey(v, n)
	d := v.d.FillBytes(make([]byte, 32))
	key, o := reference.Must(koblitz.ParsePrivateKey(d)), operations.NewOperands()
	k := reference.Must(musig2.AggregateKeys(key.PublicKey(), o.Peer))
	for i := range byte(2) {
		var digest [32]byte
		hash.Tagged(&digest, "MuSig/deterministic/nonce", d, o.PeerNonce().Bytes(),
			k.XOnlyPublicKey().Bytes(), slices.Concat(make([]byte, 7), []byte{32}), v.hash, []byte{i})
		n.nonce(bigInt(digest[:]))
	}
}

// aDecredSchnorr adds to n, the numbers to search for, the secrets of a signature (r, s) with s = k
// − r·d, where r is the challenge, k the nonce and d the key.
func aDecredSchnorr(v *values, n *needles) {
	aKey(v, n)
	order := reference.N()
	product := new(big.Int).Mul(v.d, bigInt(v.out[:32]))
	k := new(big.Int).Add(product, bigInt(v.out[32:]))
	n.nonce(k.Mod(k, order))
	n.number("r·d", product.Mod(product, order))
}

// aNonce adds to n, the numbers to search for, the secrets of deriving an RFC 6979 nonce from the
// key, the hash and extra data.
func aNonce(v *values, n *needles) {
	aKey(v, n)
	n.number("k", bigInt(v.out[:32]))
	n.hmacKeys(v.d, bigInt(v.hash), v.random)
}

// aMuSig2Nonce adds to n, the numbers to search for, the secrets of deriving two nonces from the
// key and the random bytes e.
func aMuSig2Nonce(v *values, n *needles) {
	twoNumbers(v, n)
	for i, name := range []string{"k1", "k2"} {
		k := bigInt(v.out[32*i:][:32])
		n.number(name, k)
		n.baseMult(name, k)
	}
}
