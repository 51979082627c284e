package btcec

import "github.com/koblitz-go/koblitz/compat/impl/secp256k1"

// PrivKeyFromBytes returns the private key with the number in the first 32 bytes of pk, big-endian,
// and its public key. A number of n or more is reduced modulo n, and 0 is accepted. The running
// time depends only on the length of pk.
func PrivKeyFromBytes(pk []byte) (*secp256k1.PrivateKey, *secp256k1.PublicKey) {
	//ct:leak len(pk) == 32 && pk[31]&1 == 1
	key := secp256k1.PrivKeyFromBytes(pk)
	//ct:leak key.Key.IsOverHalfOrder()
	return key, key.PubKey()
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
