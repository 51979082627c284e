// Package btcec replaces github.com/btcsuite/btcd/btcec/v2, with the packages below it. All of it
// is computed by koblitz, whose package documentation of compat/impl/secp256k1 says what is
// different. Types are those of the module in compat/dcrec/v4, so that both are replaced, or
// dcrec alone, in the main module's go.mod:
//
//	replace github.com/decred/dcrd/dcrec/secp256k1/v4 =>
//		github.com/koblitz-go/koblitz/compat/dcrec/v4 v4.4.1
//	replace github.com/btcsuite/btcd/btcec/v2 =>
//		github.com/koblitz-go/koblitz/compat/btcec/v2 v2.5.1
//
// (each in one line). docs/drop-in.md in the repository of koblitz says what changes and what
// does not; docs/port.md, what new programs are better written with.
package btcec

import (
	btcecimpl "github.com/koblitz-go/koblitz/compat/impl/btcec"
	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// Types, which packages compat/impl/secp256k1 and compat/impl/btcec of koblitz document.
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

// The lengths of encoded keys.
const (
	PrivKeyBytesLen          = impl.PrivKeyBytesLen
	PubKeyBytesLenCompressed = impl.PubKeyBytesLenCompressed
)

// S256 returns the curve as crypto/elliptic has curves.
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

// MakeJacobianPoint returns the point with these coordinates.
func MakeJacobianPoint(x, y, z *FieldVal) JacobianPoint { return impl.MakeJacobianPoint(x, y, z) }

// AddNonConst sets result = p1 + p2. The time depends on exceptional cases.
func AddNonConst(p1, p2, result *JacobianPoint) { impl.AddNonConst(p1, p2, result) }

// DecompressY sets resultY to the y coordinate of x with this parity, if there is one.
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

// ParseJacobian returns the point that 33 bytes encode, of which the first is 0 for infinity.
func ParseJacobian(point []byte) (JacobianPoint, error) { return btcecimpl.ParseJacobian(point) }

// JacobianToByteSlice returns the point in compressed form, or 33 zeros for infinity.
func JacobianToByteSlice(point JacobianPoint) []byte {
	return btcecimpl.JacobianToByteSlice(point)
}

// NonceRFC6979 returns a nonce of RFC 6979, section 3.2, with HMAC-SHA-256, in constant time.
func NonceRFC6979(
	privKey []byte, hash []byte, extra []byte, version []byte, extraIterations uint32,
) *ModNScalar {
	return impl.NonceRFC6979(privKey, hash, extra, version, extraIterations)
}

// PrivKeyFromBytes returns the private key of a big-endian number, and its public key.
func PrivKeyFromBytes(pk []byte) (*PrivateKey, *PublicKey) {
	return btcecimpl.PrivKeyFromBytes(pk)
}

// NewPrivateKey returns a private key of random bytes of the operating system.
func NewPrivateKey() (*PrivateKey, error) { return impl.GeneratePrivateKey() }

// PrivKeyFromScalar returns the private key of a scalar.
func PrivKeyFromScalar(key *ModNScalar) *PrivateKey { return impl.NewPrivateKey(key) }

// IsCompressedPubKey reports whether pubKey looks like a public key in compressed form.
func IsCompressedPubKey(pubKey []byte) bool { return btcecimpl.IsCompressedPubKey(pubKey) }

// ParsePubKey returns the key that pubKeyStr encodes, compressed, uncompressed or hybrid.
func ParsePubKey(pubKeyStr []byte) (*PublicKey, error) { return impl.ParsePubKey(pubKeyStr) }

// NewPublicKey returns the key (x, y), without a look at whether it is a point of the curve.
func NewPublicKey(x, y *FieldVal) *PublicKey { return impl.NewPublicKey(x, y) }

// ToSerialized returns the key in compressed form.
func ToSerialized(pubKey *PublicKey) SerializedKey { return btcecimpl.ToSerialized(pubKey) }
