// Package musig2 replaces github.com/btcsuite/btcd/btcec/v2/schnorr/musig2: signatures of
// BIP-340 that several signers make together (BIP-327).
package musig2

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import (
	"io"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	impl "github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
)

// Types, which package compat/impl/btcec/musig2 of koblitz documents.
type (
	AggregateKey     = impl.AggregateKey
	CombineOption    = impl.CombineOption
	Context          = impl.Context
	ContextOption    = impl.ContextOption
	KeyAggOption     = impl.KeyAggOption
	KeyTweakDesc     = impl.KeyTweakDesc
	NonceGenOption   = impl.NonceGenOption
	Nonces           = impl.Nonces
	PartialSignature = impl.PartialSignature
	Session          = impl.Session
	SessionOption    = impl.SessionOption
	SignOption       = impl.SignOption
)

// The lengths of nonces.
const (
	PubNonceSize = impl.PubNonceSize
	SecNonceSize = impl.SecNonceSize
)

// The tags of hashes. They may be read, and not changed.
var (
	ChallengeHashTag = impl.ChallengeHashTag
	KeyAggTagCoeff   = impl.KeyAggTagCoeff
	KeyAggTagList    = impl.KeyAggTagList
	NonceAuxTag      = impl.NonceAuxTag
	NonceBlindTag    = impl.NonceBlindTag
	NonceGenTag      = impl.NonceGenTag
)

// Errors, which package compat/impl/btcec/musig2 of koblitz documents.
var (
	ErrAlreadyHaveAllSigners         = impl.ErrAlreadyHaveAllSigners
	ErrAlredyHaveAllNonces           = impl.ErrAlredyHaveAllNonces
	ErrAlredyHaveAllSigs             = impl.ErrAlredyHaveAllSigs
	ErrCombinedNonceAfterPubNonces   = impl.ErrCombinedNonceAfterPubNonces
	ErrCombinedNonceUnavailable      = impl.ErrCombinedNonceUnavailable
	ErrFinalSigInvalid               = impl.ErrFinalSigInvalid
	ErrNoEarlyNonce                  = impl.ErrNoEarlyNonce
	ErrNoncePointAtInfinity          = impl.ErrNoncePointAtInfinity
	ErrNotEnoughSigners              = impl.ErrNotEnoughSigners
	ErrPartialSigInvalid             = impl.ErrPartialSigInvalid
	ErrPrivKeyZero                   = impl.ErrPrivKeyZero
	ErrPubkeyInvalid                 = impl.ErrPubkeyInvalid
	ErrPubkeyNotIncluded             = impl.ErrPubkeyNotIncluded
	ErrSecNoncePubkey                = impl.ErrSecNoncePubkey
	ErrSecretNonceZero               = impl.ErrSecretNonceZero
	ErrSignerNotInKeySet             = impl.ErrSignerNotInKeySet
	ErrSignersNotSpecified           = impl.ErrSignersNotSpecified
	ErrSigningContextReuse           = impl.ErrSigningContextReuse
	ErrTaprootInternalKeyUnavailable = impl.ErrTaprootInternalKeyUnavailable
	ErrTweakedKeyIsInfinity          = impl.ErrTweakedKeyIsInfinity
	ErrTweakedKeyOverflows           = impl.ErrTweakedKeyOverflows
)

// AggregateNonces returns the sum of all public nonces ("NonceAgg" of BIP-327).
func AggregateNonces(pubNonces [][PubNonceSize]byte) ([PubNonceSize]byte, error) {
	return impl.AggregateNonces(pubNonces)
}

// WithTweakedCombine says that the signature is under a key that is tweaked as by WithKeyTweaks.
func WithTweakedCombine(
	msg [32]byte, keys []*btcec.PublicKey, tweaks []KeyTweakDesc, sort bool,
) CombineOption {
	return impl.WithTweakedCombine(msg, keys, tweaks, sort)
}

// WithTaprootTweakedCombine says that the signature is under a key that is tweaked as by
// WithTaprootKeyTweak.
func WithTaprootTweakedCombine(
	msg [32]byte, keys []*btcec.PublicKey, scriptRoot []byte, sort bool,
) CombineOption {
	return impl.WithTaprootTweakedCombine(msg, keys, scriptRoot, sort)
}

// WithBip86TweakedCombine says that the signature is under a key that is tweaked as by
// WithBIP86KeyTweak.
func WithBip86TweakedCombine(msg [32]byte, keys []*btcec.PublicKey, sort bool) CombineOption {
	return impl.WithBip86TweakedCombine(msg, keys, sort)
}

// CombineSigs returns the signature that the parts of all signers come to ("PartialSigAgg" of
// BIP-327).
func CombineSigs(
	combinedNonce *btcec.PublicKey, partialSigs []*PartialSignature,
	combineOpts ...CombineOption,
) *schnorr.Signature {
	return impl.CombineSigs(combinedNonce, partialSigs, combineOpts...)
}

// AggregateKeys returns the key of all signers ("KeyAgg" and "ApplyTweak" of BIP-327), and the
// accumulated sign and tweak ("gacc" and "tacc").
func AggregateKeys(
	keys []*btcec.PublicKey, sort bool, keyOpts ...KeyAggOption,
) (*AggregateKey, *btcec.ModNScalar, *btcec.ModNScalar, error) {
	return impl.AggregateKeys(keys, sort, keyOpts...)
}

// WithCustomRand takes the random bytes from r, one call of Read for 32 of them.
func WithCustomRand(r io.Reader) NonceGenOption { return impl.WithCustomRand(r) }

// WithPublicKey gives the signer's public key.
func WithPublicKey(pubKey *btcec.PublicKey) NonceGenOption {
	return impl.WithPublicKey(pubKey)
}

// WithNonceSecretKeyAux mixes in the signer's private key.
func WithNonceSecretKeyAux(secKey *btcec.PrivateKey) NonceGenOption {
	return impl.WithNonceSecretKeyAux(secKey)
}

// WithNonceCombinedKeyAux mixes in the key of all signers.
func WithNonceCombinedKeyAux(combinedKey *btcec.PublicKey) NonceGenOption {
	return impl.WithNonceCombinedKeyAux(combinedKey)
}

// WithNonceMessageAux mixes in the message.
func WithNonceMessageAux(msg [32]byte) NonceGenOption {
	return impl.WithNonceMessageAux(msg)
}

// WithNonceAuxInput mixes in any bytes.
func WithNonceAuxInput(aux []byte) NonceGenOption { return impl.WithNonceAuxInput(aux) }

// GenNonces returns new nonces ("NonceGen" of BIP-327).
func GenNonces(options ...NonceGenOption) (*Nonces, error) {
	return impl.GenNonces(options...)
}

// WithKeysHash gives the hash of all keys, which is computed otherwise.
func WithKeysHash(keyHash []byte) KeyAggOption { return impl.WithKeysHash(keyHash) }

// WithUniqueKeyIndex gives the index of the first key that is not the first one, or −1 if there is
// none.
func WithUniqueKeyIndex(idx int) KeyAggOption { return impl.WithUniqueKeyIndex(idx) }

// WithKeyTweaks tweaks the aggregated key, by one tweak after the other.
func WithKeyTweaks(tweaks ...KeyTweakDesc) KeyAggOption {
	return impl.WithKeyTweaks(tweaks...)
}

// WithTaprootKeyTweak makes the aggregated key the internal key of an output with this tree of
// scripts (BIP-341).
func WithTaprootKeyTweak(scriptRoot []byte) KeyAggOption {
	return impl.WithTaprootKeyTweak(scriptRoot)
}

// WithBIP86KeyTweak makes the aggregated key the internal key of an output without a tree of
// scripts (BIP-86).
func WithBIP86KeyTweak() KeyAggOption { return impl.WithBIP86KeyTweak() }

// WithFastSign leaves out the check of the partial signature that was made.
func WithFastSign() SignOption { return impl.WithFastSign() }

// WithSortedKeys sorts the keys first, in place.
func WithSortedKeys() SignOption { return impl.WithSortedKeys() }

// WithTweaks signs for a key that is tweaked as by WithKeyTweaks.
func WithTweaks(tweaks ...KeyTweakDesc) SignOption { return impl.WithTweaks(tweaks...) }

// WithTaprootSignTweak signs for a key that is tweaked as by WithTaprootKeyTweak.
func WithTaprootSignTweak(scriptRoot []byte) SignOption {
	return impl.WithTaprootSignTweak(scriptRoot)
}

// WithBip86SignTweak signs for a key that is tweaked as by WithBIP86KeyTweak.
func WithBip86SignTweak() SignOption { return impl.WithBip86SignTweak() }

// NewPartialSignature returns the partial signature of s and r, which it keeps.
func NewPartialSignature(s *btcec.ModNScalar, r *btcec.PublicKey) PartialSignature {
	return impl.NewPartialSignature(s, r)
}

// Sign returns the signer's part of a signature, in constant time.
func Sign(
	secNonce [SecNonceSize]byte, privKey *btcec.PrivateKey, combinedNonce [PubNonceSize]byte,
	pubKeys []*btcec.PublicKey, msg [32]byte, signOpts ...SignOption,
) (*PartialSignature, error) {
	return impl.Sign(secNonce, privKey, combinedNonce, pubKeys, msg, signOpts...)
}
