package ellswift

import (
	"crypto/rand"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// EllswiftCreate returns a random private key, and an encoding of its public key: u and t, 32 bytes
// each, big-endian. The key is a number of 32 random bytes of the operating system, reduced modulo
// n. The error is always nil. The running time depends on the public key.
func EllswiftCreate() (*secp256k1.PrivateKey, [64]byte, error) {
	var b [32]byte
	rand.Read(b[:])
	//ct:leak b[31]&1 == 1
	key := secp256k1.PrivKeyFromBytes(b[:])
	//ct:leak key.Key.IsOdd()
	ct.Wipe(b[:])
	var p secp256k1.JacobianPoint
	key.PubKey().AsJacobian(&p)
	u, t, _ := XElligatorSwift(&p.X)
	var encoded [64]byte
	u.PutBytesUnchecked(encoded[:32])
	t.PutBytesUnchecked(encoded[32:])
	return key, encoded, nil
}

// EllswiftECDHXOnly returns the x coordinate of privKey·P as 32 bytes, big-endian, where
// ellswiftTheirs encodes the x coordinate of P. If the key is 0, it returns zeros. The error is
// always nil. The running time depends on ellswiftTheirs, but not on the key.
func EllswiftECDHXOnly(
	ellswiftTheirs [64]byte, privKey *secp256k1.PrivateKey,
) (x [32]byte, err error) {
	var r ratio
	r.parse(&ellswiftTheirs)
	//ct:leak privKey.Key.IsOverHalfOrder()
	secret.DoDeep(func() { r.mult(&x, privKey) })
	return x, nil
}

// V2Ecdh returns the shared secret of BIP-324: a tagged hash of both encoded keys and of the result
// of EllswiftECDHXOnly. The error is always nil. The running time depends on the encoded keys and
// on initiating, but not on the private key.
func V2Ecdh(
	priv *secp256k1.PrivateKey, ellswiftTheirs, ellswiftOurs [64]byte, initiating bool,
) (shared [32]byte, err error) {
	var r ratio
	r.parse(&ellswiftTheirs)
	first, second := &ellswiftTheirs, &ellswiftOurs
	if initiating {
		first, second = second, first
	}
	secret.DoDeep(func() {
		r.mult(&shared, priv)
		//ct:leak shared[31]&1 == 1
		hash.Ellswift(&shared, first, second, &shared)
		//ct:leak shared[31]&1 == 1
	})
	return shared, nil
}

// parse sets r to the x coordinate that the 64 bytes of b encode. They are u and t, which are
// reduced modulo p.
func (r *ratio) parse(b *[64]byte) {
	var u, t field.Element
	u.SetBytes((*[32]byte)(b[:32]))
	t.SetBytes((*[32]byte)(b[32:]))
	r.decode(&u, &t)
}

// mult sets x to the x coordinate of key·P, where P is a point with the x coordinate r. It leaves
// secrets on the stack.
//
// It needs no y coordinate. With x = n/d, v = (x³ + 7)·d⁴ and e = v·d², the point (x·e, v²·d) is on
// the curve y² = x³ + 7·e³, because v is a square. This curve is isomorphic to secp256k1, and the
// isomorphism multiplies x by e. The formulas of the multiplication do not use the constant 7.
func (r *ratio) mult(x *[32]byte, key *secp256k1.PrivateKey) {
	//ct:leak key.Key.IsOdd()
	var a point.Affine
	a.X.Mul(&r.n, &r.d)
	a.X.Mul(&a.X, &r.v)
	a.Y.Square(&r.v)
	a.Y.Mul(&a.Y, &r.d)
	var p point.Jacobian
	ecmult.ScalarMultIsomorphic(&p, (*scalar.Scalar)(&key.Key), &a)
	//ct:leak p.X.IsOdd().Bool()

	// The product is (X, Y, Z) on the isomorphic curve. On secp256k1, its x coordinate is X/(Z²·e),
	// with e = v·d² as above.
	var e field.Element
	e.Square(&r.d)
	e.Mul(&e, &r.v)
	p.Z.Square(&p.Z)
	p.Z.Mul(&p.Z, &e)
	//ct:leak p.Z.IsOdd().Bool()
	p.Z.Invert(&p.Z)
	//ct:leak p.Z.IsOdd().Bool()
	p.X.Mul(&p.X, &p.Z)
	//ct:leak p.X.IsOdd().Bool()
	p.X.PutBytes(x)
	//ct:leak x[0] == 0
	p.Wipe()
}
