//ct:public takes public keys

package btcec

import (
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// ParseJacobian returns the point that the 33 bytes of point encode: a compressed public key, or
// infinity if the first byte is 0, even if other bytes are not. If they encode no point, it returns
// a secp256k1.Error. The running time depends on the input.
func ParseJacobian(point []byte) (secp256k1.JacobianPoint, error) {
	var p secp256k1.JacobianPoint
	if len(point) != secp256k1.PubKeyBytesLenCompressed {
		return p, secp256k1.Error{
			Err:         secp256k1.ErrPubKeyInvalidLen,
			Description: fmt.Sprintf("invalid nonce: invalid length: %v", len(point)),
		}
	}
	b := [secp256k1.PubKeyBytesLenCompressed]byte(point) // read point once: it may change
	if b[0] == 0 {
		return p, nil
	}
	key, err := secp256k1.ParsePubKey(b[:])
	if err != nil {
		return p, err
	}
	key.AsJacobian(&p)
	return p, nil
}

// JacobianToByteSlice returns the point in compressed form, 33 bytes. If X and Y are both 0, it
// returns zeros.
func JacobianToByteSlice(point secp256k1.JacobianPoint) []byte {
	var infinity secp256k1.JacobianPoint
	if point.X == infinity.X && point.Y == infinity.Y {
		return make([]byte, secp256k1.PubKeyBytesLenCompressed)
	}
	point.ToAffine()
	return secp256k1.NewPublicKey(&point.X, &point.Y).SerializeCompressed()
}

// GeneratorJacobian sets jacobian to the generator G, with Z = 1.
func GeneratorJacobian(jacobian *secp256k1.JacobianPoint) {
	var one secp256k1.ModNScalar
	one.SetInt(1)
	secp256k1.ScalarBaseMultNonConst(&one, jacobian)
}

// Generator returns the generator G of the group (SEC 2, section 2.4.1).
func Generator() *secp256k1.PublicKey {
	var g secp256k1.JacobianPoint
	GeneratorJacobian(&g)
	return secp256k1.NewPublicKey(&g.X, &g.Y)
}

// IsCompressedPubKey reports whether pubKey has the length and a valid first byte of a compressed
// public key.
func IsCompressedPubKey(pubKey []byte) bool {
	return len(pubKey) == secp256k1.PubKeyBytesLenCompressed &&
		pubKey[0]&^1 == secp256k1.PubKeyFormatCompressedEven
}

// A SerializedKey is a public key in compressed form, 33 bytes. It may be invalid.
type SerializedKey [secp256k1.PubKeyBytesLenCompressed]byte

// ToSerialized returns the public key in compressed form.
func ToSerialized(pubKey *secp256k1.PublicKey) SerializedKey {
	return SerializedKey(pubKey.SerializeCompressed())
}

// ToPubKey returns the public key that s encodes. Its errors are those of secp256k1.ParsePubKey.
// The running time depends on s.
func (s SerializedKey) ToPubKey() (*secp256k1.PublicKey, error) {
	return secp256k1.ParsePubKey(s[:])
}

// SchnorrSerialized returns the x coordinate of the key as 32 bytes, as BIP-340 encodes keys.
func (s SerializedKey) SchnorrSerialized() [32]byte { return [32]byte(s[1:]) }

// CopyBytes returns the bytes of s in a new slice.
func (s SerializedKey) CopyBytes() []byte { return append([]byte(nil), s[:]...) }
