// Package btcec replaces github.com/btcsuite/btcd/btcec/v2, together with the packages below it.
// The arithmetic is that of koblitz; the documentation of compat/impl/secp256k1 lists the
// differences. The types are those of the module in compat/dcrec/v4, so a main module's go.mod must
// replace either both modules or only dcrec:
//
//	replace github.com/decred/dcrd/dcrec/secp256k1/v4 =>
//		github.com/koblitz-go/koblitz/compat/dcrec/v4 v4.4.1
//	replace github.com/btcsuite/btcd/btcec/v2 =>
//		github.com/koblitz-go/koblitz/compat/btcec/v2 v2.5.1
//
// (each in one line). No version is published yet: until then the right sides are the paths of the
// two modules in a checkout, and a third line replaces koblitz. docs/drop-in.md in the repository
// of koblitz has these lines, and says what changes and what does not. docs/port.md describes the
// packages that new programs should use.
package btcec

import (
	btcecimpl "github.com/koblitz-go/koblitz/compat/impl/btcec"
	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// Types, documented in packages compat/impl/secp256k1 and compat/impl/btcec of koblitz.
type (
	CurveParams   = impl.CurveParams
	Error         = impl.Error
	ErrorKind     = impl.ErrorKind
	FieldVal      = impl.FieldVal
	JacobianPoint = impl.JacobianPoint
	KoblitzCurve  = impl.KoblitzCurve
	ModNScalar    = impl.ModNScalar
	PrivateKey    = impl.PrivateKey
	PublicKey     = impl.PublicKey
	SerializedKey = btcecimpl.SerializedKey
)

// Lengths of encoded keys in bytes.
const (
	PrivKeyBytesLen          = impl.PrivKeyBytesLen
	PubKeyBytesLenCompressed = impl.PubKeyBytesLenCompressed
)

// S256 returns the curve as an elliptic.Curve.
func S256() *KoblitzCurve { return impl.S256() }

// Params returns the parameters of the curve.
func Params() *CurveParams { return impl.Params() }

// Generator returns the generator G.
func Generator() *PublicKey { return btcecimpl.Generator() }

// GeneratorJacobian sets jacobian to the generator G.
func GeneratorJacobian(jacobian *JacobianPoint) { btcecimpl.GeneratorJacobian(jacobian) }

// GenerateSharedSecret returns the x coordinate of privkey·pubkey, in constant time.
func GenerateSharedSecret(privkey *PrivateKey, pubkey *PublicKey) []byte {
	return impl.GenerateSharedSecret(privkey, pubkey)
}

// MakeJacobianPoint returns the point with the Jacobian coordinates x, y and z.
func MakeJacobianPoint(x, y, z *FieldVal) JacobianPoint { return impl.MakeJacobianPoint(x, y, z) }

// AddNonConst sets result = p1 + p2. The running time depends on whether a point is infinity,
// whether the points are equal or opposite, and which denominators are 1 or equal.
func AddNonConst(p1, p2, result *JacobianPoint) { impl.AddNonConst(p1, p2, result) }

// DecompressY sets resultY to the y coordinate, odd or even, of the point with the x coordinate x,
// and reports whether there is such a point.
func DecompressY(x *FieldVal, odd bool, resultY *FieldVal) bool {
	return impl.DecompressY(x, odd, resultY)
}

// DoubleNonConst sets result = 2·p.
func DoubleNonConst(p, result *JacobianPoint) { impl.DoubleNonConst(p, result) }

// ScalarBaseMultNonConst sets result = k·G, in constant time.
func ScalarBaseMultNonConst(k *ModNScalar, result *JacobianPoint) {
	impl.ScalarBaseMultNonConst(k, result)
}

// ScalarMultNonConst sets result = k·point, in constant time.
func ScalarMultNonConst(k *ModNScalar, point, result *JacobianPoint) {
	impl.ScalarMultNonConst(k, point, result)
}

// ParseJacobian returns the point that the 33 bytes of point encode. For infinity, the first byte
// is 0.
func ParseJacobian(point []byte) (JacobianPoint, error) { return btcecimpl.ParseJacobian(point) }

// JacobianToByteSlice returns the point in compressed form, 33 bytes, or 33 zeros for infinity.
func JacobianToByteSlice(point JacobianPoint) []byte {
	return btcecimpl.JacobianToByteSlice(point)
}

// NonceRFC6979 returns a nonce of RFC 6979, section 3.2, with HMAC-SHA-256, in constant time.
func NonceRFC6979(
	privKey []byte, hash []byte, extra []byte, version []byte, extraIterations uint32,
) *ModNScalar {
	return impl.NonceRFC6979(privKey, hash, extra, version, extraIterations)
}

// PrivKeyFromBytes returns the private key with the given big-endian number, and its public key.
func PrivKeyFromBytes(pk []byte) (*PrivateKey, *PublicKey) {
	return btcecimpl.PrivKeyFromBytes(pk)
}

// NewPrivateKey returns a random private key.
func NewPrivateKey() (*PrivateKey, error) { return impl.GeneratePrivateKey() }

// PrivKeyFromScalar returns the private key with the given scalar.
func PrivKeyFromScalar(key *ModNScalar) *PrivateKey { return impl.NewPrivateKey(key) }

// IsCompressedPubKey reports whether pubKey has the length and first byte of a compressed public
// key.
func IsCompressedPubKey(pubKey []byte) bool { return btcecimpl.IsCompressedPubKey(pubKey) }

// ParsePubKey returns the public key that pubKeyStr encodes, in compressed, uncompressed or hybrid
// form.
func ParsePubKey(pubKeyStr []byte) (*PublicKey, error) { return impl.ParsePubKey(pubKeyStr) }

// NewPublicKey returns the key (x, y). It does not check that (x, y) is a point of the curve.
func NewPublicKey(x, y *FieldVal) *PublicKey { return impl.NewPublicKey(x, y) }

// ToSerialized returns the public key in compressed form.
func ToSerialized(pubKey *PublicKey) SerializedKey { return btcecimpl.ToSerialized(pubKey) }
