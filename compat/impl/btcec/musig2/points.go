//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// An encoded is a point of the curve in compressed form.
type encoded = musig.Encoded

// affine returns the coordinates of a key, and reports whether they are a point of the curve.
func affine(key *secp256k1.PublicKey) (a point.Affine, onCurve bool) {
	a = secp256k1.Affine(key)
	return a, a.IsOnCurve().Bool()
}

// xBytes returns the x coordinate of a key as 32 bytes, the encoding of keys in BIP-340.
func xBytes(key *secp256k1.PublicKey) []byte { return key.SerializeCompressed()[1:] }

// hasOddY reports whether the y coordinate of a key is odd.
func hasOddY(key *secp256k1.PublicKey) bool {
	return key.SerializeCompressed()[0] == secp256k1.PubKeyFormatCompressedOdd
}

// decode returns the point that b encodes ("cpoint_ext" of BIP-327): a compressed public key, or
// infinity, (0, 0), if the first byte is 0, even if other bytes are not. If b encodes no point,
// decode returns a secp256k1.Error.
func decode(b encoded) (p point.Affine, err error) {
	if b[0] == 0 {
		return p, nil
	}
	key, err := secp256k1.ParsePubKey(b[:])
	if err != nil {
		return p, err
	}
	return secp256k1.Affine(key), nil
}

// decodeNonce sets n to the points of the public nonce b. It returns the errors of decode.
func decodeNonce(n *musig.Nonce, b *[PubNonceSize]byte) (err error) {
	for i := range n {
		if n[i], err = decode(encoded(b[i*len(encoded{}):])); err != nil {
			return err
		}
	}
	return nil
}

// number converts s to the type of package scalar.
func number(s *secp256k1.ModNScalar) *scalar.Scalar { return (*scalar.Scalar)(s) }
