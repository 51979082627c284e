// Package schnorr replaces github.com/btcsuite/btcd/btcec/v2/schnorr: signatures of BIP-340, of
// messages of 32 bytes.
package schnorr

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import (
	"github.com/btcsuite/btcd/btcec/v2"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	errs "github.com/koblitz-go/koblitz/compat/impl/schnorr"
)

// Types, which packages compat/impl/btcec/schnorr and compat/impl/schnorr of koblitz document.
type (
	Error      = errs.Error
	ErrorKind  = errs.ErrorKind
	SignOption = impl.SignOption
	Signature  = impl.Signature
)

// The lengths of encoded signatures and public keys.
const (
	SignatureSize  = impl.SignatureSize
	PubKeyBytesLen = impl.PubKeyBytesLen
)

// NewSignature returns the signature (r, s), whatever they are.
func NewSignature(r *btcec.FieldVal, s *btcec.ModNScalar) *Signature {
	return impl.NewSignature(r, s)
}

// ParseSignature returns the signature that sig encodes in 64 bytes.
func ParseSignature(sig []byte) (*Signature, error) { return impl.ParseSignature(sig) }

// ParsePubKey returns the key that pubKeyStr encodes as BIP-340 says, in 32 bytes.
func ParsePubKey(pubKeyStr []byte) (*btcec.PublicKey, error) { return impl.ParsePubKey(pubKeyStr) }

// SerializePubKey returns the x coordinate in 32 bytes.
func SerializePubKey(pub *btcec.PublicKey) []byte { return impl.SerializePubKey(pub) }

// FastSign makes Sign leave out the verification of what it has made.
func FastSign() SignOption { return impl.FastSign() }

// CustomNonce makes Sign take the nonce that BIP-340 makes of auxiliary randomness.
func CustomNonce(auxData [32]byte) SignOption { return impl.CustomNonce(auxData) }

// Sign returns a signature of the hash, of 32 bytes, in constant time.
func Sign(privKey *btcec.PrivateKey, hash []byte, signOpts ...SignOption) (*Signature, error) {
	return impl.Sign(privKey, hash, signOpts...)
}
