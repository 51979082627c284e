//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package secret_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// hashTag is the domain separation tag of the operations.
const hashTag = "koblitz-secret-V01-CS01"

// protocols holds the operations of package dleq, and those of package group for authors of
// protocols. Messages are D.
var protocols = []operation{
	{"group.Scalar.HashToScalar", func(s *subject) error {
		_, err := s.z.HashToScalar(s.d(), []byte(hashTag))
		return err
	}, 0, aHashedScalar},
	{"group.Point.HashToCurve", func(s *subject) error {
		_, err := s.r.HashToCurve(s.d(), []byte(hashTag))
		s.take(s.r.Bytes())
		return err
	}, 0, aHashedPoint(96)},
	{"group.Point.EncodeToCurve", func(s *subject) error {
		_, err := s.r.EncodeToCurve(s.d(), []byte(hashTag))
		s.take(s.r.Bytes())
		return err
	}, 0, aHashedPoint(48)},
	{"group.BatchHashToCurve of one message", func(s *subject) error {
		return s.hashMany(1)
	}, 0, aHashedPoint(96)},
	{"group.BatchHashToCurve of many messages", func(s *subject) error {
		return s.hashMany(manyRows)
	}, inRows, aHashedPoint(96)},
	{"group.Point.MultiScalarMult", func(s *subject) error {
		_, err := s.r.MultiScalarMult([]*group.Scalar{s.x, s.y}, []*group.Point{s.q, s.p})
		return err
	}, needScalars | needPoints, aSumOfProducts},
	{"group.Point.MultiScalarMult with a nil scalar", func(s *subject) error {
		catch(call, func() {
			s.r.MultiScalarMult([]*group.Scalar{s.x, s.y, nil}, []*group.Point{s.p, s.q, s.p})
		})
		return nil
	}, needScalars | needPoints, twoNumbers},
	{"dleq.Prove checked", func(s *subject) error {
		return s.equality(nil)
	}, needKeys, anEqualityProof},
	{"dleq.Prove checked, with another generator", func(s *subject) error {
		return s.equality(s.peer)
	}, needKeys, anEqualityProofOfPeers},
	{"group.Lagrange", func(s *subject) error {
		l, err := group.Lagrange([]*group.Scalar{s.x, s.y})
		for i := range l {
			l[i].Zeroize()
		}
		return err
	}, needScalars, aLagrange},
	{"group.Lagrange of equal identifiers", func(s *subject) error {
		if _, err := group.Lagrange([]*group.Scalar{s.x, s.x}); err == nil {
			return errors.New("equal identifiers are accepted")
		}
		return nil
	}, needScalars, aKey},
}

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
	aProduct(v, n)
	difference := new(big.Int).Sub(v.e, v.d)
	inverse := new(big.Int).ModInverse(new(big.Int).Mod(difference, reference.N()), reference.N())
	n.number("e - d", difference)
	n.number("e/(e - d)", new(big.Int).Mul(v.e, inverse))
	n.number("d/(d - e)", inverse.Mul(inverse, v.d).Neg(inverse))
}

// equality proves that D·g and D·2·G have the same logarithm.
func (s *subject) equality(g *koblitz.PublicKey) error {
	_, proof, err := dleq.Prove(s.key, s.peer, &dleq.Options{G: g, Aux: s.Random[:]})
	return s.taken(proof, err)
}

// anEqualityProof adds to n the key d, the masked key, the nonce, and the secret intermediate
// values of multiplying G and the point 2·G by both.
func anEqualityProof(v *values, n *needles) {
	n.equality(v, big.NewInt(1))
	n.baseMult("d", v.d)
}

// anEqualityProofOfPeers does the same for the generator 2·G.
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
	encoded := func(k *big.Int) []byte {
		a := affine(baseMult(k))
		var x [32]byte
		a.X.PutBytes(&x)
		return append([]byte{2 + byte(a.Y.IsOdd())}, x[:]...)
	}
	a, c := new(big.Int).Mul(v.d, g), new(big.Int).Mul(v.d, two)
	a.Mod(a, reference.N())
	c.Mod(c, reference.N())
	k := bigInt(reference.TaggedHash("BIP0374/nonce", t, encoded(a), encoded(c)))
	n.number("k", k)
	n.scalarMult("d", v.d, two)
	n.scalarMult("k", k, two)
	if g.Cmp(two) != 0 {
		n.baseMult("k", k)
	}
}

// hashMany hashes D the given number of times.
func (s *subject) hashMany(rows int) error {
	points := make([]group.Point, rows)
	err := group.BatchHashToCurve(points, slices.Repeat([][]byte{s.d()}, rows), []byte(hashTag))
	s.take(points[0].Bytes())
	for i := range points {
		points[i].Zeroize()
	}
	return err
}

// expanded adds to n the first 32·k bytes of the hash of d to the given number of bytes, and
// returns the numbers of 48 bytes in them.
func (n *needles) expanded(v *values, size int) (numbers []*big.Int) {
	b := make([]byte, size)
	hash.ExpandXMD(b, v.d.FillBytes(make([]byte, 32)), []byte(hashTag))
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
