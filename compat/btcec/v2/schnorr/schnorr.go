// Package schnorr replaces github.com/btcsuite/btcd/btcec/v2/schnorr: BIP-340 signatures of 32-byte
// messages.
package schnorr

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import (
	"github.com/btcsuite/btcd/btcec/v2"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	errs "github.com/koblitz-go/koblitz/compat/impl/schnorr"
)

// Types, documented in packages compat/impl/btcec/schnorr and compat/impl/schnorr of koblitz.
type (
	Error      = errs.Error
	ErrorKind  = errs.ErrorKind
	SignOption = impl.SignOption
	Signature  = impl.Signature
)

// Lengths in bytes of encoded signatures and public keys.
const (
	SignatureSize  = impl.SignatureSize
	PubKeyBytesLen = impl.PubKeyBytesLen
)

// NewSignature returns the signature (r, s). It accepts any r and s.
func NewSignature(r *btcec.FieldVal, s *btcec.ModNScalar) *Signature {
	return impl.NewSignature(r, s)
}

// ParseSignature returns the signature that the 64 bytes of sig encode.
func ParseSignature(sig []byte) (*Signature, error) { return impl.ParseSignature(sig) }

// ParsePubKey returns the BIP-340 key that the 32 bytes of pubKeyStr encode.
func ParsePubKey(pubKeyStr []byte) (*btcec.PublicKey, error) { return impl.ParsePubKey(pubKeyStr) }

// SerializePubKey returns the x coordinate of the public key as 32 bytes, big-endian.
func SerializePubKey(pub *btcec.PublicKey) []byte { return impl.SerializePubKey(pub) }

// FastSign makes Sign skip the verification of the signature.
func FastSign() SignOption { return impl.FastSign() }

// CustomNonce makes Sign derive the nonce from the auxiliary randomness auxData, as BIP-340 does.
func CustomNonce(auxData [32]byte) SignOption { return impl.CustomNonce(auxData) }

// Sign returns a signature of a hash of 32 bytes by the key, in constant time.
func Sign(privKey *btcec.PrivateKey, hash []byte, signOpts ...SignOption) (*Signature, error) {
	return impl.Sign(privKey, hash, signOpts...)
}
