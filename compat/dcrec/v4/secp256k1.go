// Package secp256k1 replaces github.com/decred/dcrd/dcrec/secp256k1/v4. It has the same names, uses
// the arithmetic of github.com/koblitz-go/koblitz, which is several times faster, and handles
// secrets in constant time. A line in the go.mod of a program's main module makes every package in
// the build use it:
//
//	replace github.com/decred/dcrd/dcrec/secp256k1/v4 =>
//		github.com/koblitz-go/koblitz/compat/dcrec/v4 v4.4.1
//
// (in one line). No version is published yet: until then the right side is the path of
// compat/dcrec/v4 in a checkout, and two more lines replace btcec and koblitz. docs/drop-in.md in
// the repository of koblitz has these lines, and says what changes and what does not.
// docs/port.md describes the packages that new programs should use.
package secp256k1

import (
	"io"

	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// Types, documented in package compat/impl/secp256k1 of koblitz.
type (
	CurveParams   = impl.CurveParams
	Error         = impl.Error
	ErrorKind     = impl.ErrorKind
	FieldVal      = impl.FieldVal
	FieldVal64    = impl.FieldVal64
	JacobianPoint = impl.JacobianPoint
	KoblitzCurve  = impl.KoblitzCurve
	ModNScalar    = impl.ModNScalar
	PrivateKey    = impl.PrivateKey
	PublicKey     = impl.PublicKey
)

// Kinds of errors of [ParsePubKey].
const (
	ErrPubKeyInvalidLen        = impl.ErrPubKeyInvalidLen
	ErrPubKeyInvalidFormat     = impl.ErrPubKeyInvalidFormat
	ErrPubKeyXTooBig           = impl.ErrPubKeyXTooBig
	ErrPubKeyYTooBig           = impl.ErrPubKeyYTooBig
	ErrPubKeyNotOnCurve        = impl.ErrPubKeyNotOnCurve
	ErrPubKeyMismatchedOddness = impl.ErrPubKeyMismatchedOddness
)

// Lengths of encoded keys in bytes, and the first bytes of public keys.
const (
	PrivKeyBytesLen            = impl.PrivKeyBytesLen
	PubKeyBytesLenCompressed   = impl.PubKeyBytesLenCompressed
	PubKeyBytesLenUncompressed = impl.PubKeyBytesLenUncompressed
	PubKeyFormatCompressedEven = impl.PubKeyFormatCompressedEven
	PubKeyFormatCompressedOdd  = impl.PubKeyFormatCompressedOdd
	PubKeyFormatUncompressed   = impl.PubKeyFormatUncompressed
	PubKeyFormatHybridEven     = impl.PubKeyFormatHybridEven
	PubKeyFormatHybridOdd      = impl.PubKeyFormatHybridOdd
)

// AddNonConst sets result = p1 + p2. The running time depends on whether a point is infinity,
// whether the points are equal or opposite, and which denominators are 1 or equal.
func AddNonConst(p1, p2, result *JacobianPoint) { impl.AddNonConst(p1, p2, result) }

// DecompressY sets resultY to the y coordinate, odd or even, of the point with the x coordinate x,
// and reports whether there is such a point. The running time does not depend on x.
func DecompressY(x *FieldVal, odd bool, resultY *FieldVal) bool {
	return impl.DecompressY(x, odd, resultY)
}

// DoubleNonConst sets result = 2·p, in constant time.
func DoubleNonConst(p, result *JacobianPoint) { impl.DoubleNonConst(p, result) }

// GenerateSharedSecret returns the x coordinate of privkey·pubkey, in constant time.
func GenerateSharedSecret(privkey *PrivateKey, pubkey *PublicKey) []byte {
	return impl.GenerateSharedSecret(privkey, pubkey)
}

// ScalarBaseMultNonConst sets result = k·G, in constant time.
func ScalarBaseMultNonConst(k *ModNScalar, result *JacobianPoint) {
	impl.ScalarBaseMultNonConst(k, result)
}

// ScalarMultNonConst sets result = k·point, in constant time. If point is not on the curve, the
// result is another point, which an HMAC of k and point determines.
func ScalarMultNonConst(k *ModNScalar, point, result *JacobianPoint) {
	impl.ScalarMultNonConst(k, point, result)
}

// Params returns the parameters of the curve.
func Params() *CurveParams { return impl.Params() }

// MakeJacobianPoint returns the point with the Jacobian coordinates x, y and z.
func MakeJacobianPoint(x, y, z *FieldVal) JacobianPoint { return impl.MakeJacobianPoint(x, y, z) }

// S256 returns the curve as an elliptic.Curve.
func S256() *KoblitzCurve { return impl.S256() }

// NonceRFC6979 returns a nonce of RFC 6979, section 3.2, with HMAC-SHA-256, in constant time.
func NonceRFC6979(
	privKey []byte, hash []byte, extra []byte, version []byte, extraIterations uint32,
) *ModNScalar {
	return impl.NonceRFC6979(privKey, hash, extra, version, extraIterations)
}

// GeneratePrivateKey returns a random private key.
func GeneratePrivateKey() (*PrivateKey, error) { return impl.GeneratePrivateKey() }

// GeneratePrivateKeyFromRand returns a private key made from bytes of rand.
func GeneratePrivateKeyFromRand(rand io.Reader) (*PrivateKey, error) {
	return impl.GeneratePrivateKeyFromRand(rand)
}

// NewPrivateKey returns the private key with the given scalar.
func NewPrivateKey(key *ModNScalar) *PrivateKey { return impl.NewPrivateKey(key) }

// PrivKeyFromBytes returns the private key with the given big-endian number.
func PrivKeyFromBytes(privKeyBytes []byte) *PrivateKey {
	return impl.PrivKeyFromBytes(privKeyBytes)
}

// NewPublicKey returns the key (x, y). It does not check that (x, y) is a point of the curve.
func NewPublicKey(x, y *FieldVal) *PublicKey { return impl.NewPublicKey(x, y) }

// ParsePubKey returns the public key that serialized encodes, in compressed, uncompressed or hybrid
// form.
func ParsePubKey(serialized []byte) (*PublicKey, error) { return impl.ParsePubKey(serialized) }
