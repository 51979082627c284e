//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A CombineOption is an option of [CombineSigs].
type CombineOption func(*combineOptions)

// combineOptions holds the values of the options of CombineSigs.
type combineOptions struct {
	msg         [32]byte
	combinedKey *secp256k1.PublicKey
	tweakAcc    *secp256k1.ModNScalar
}

// aggregated returns an option for signatures under the aggregated key with the given tweak.
func aggregated(
	msg [32]byte, keys []*secp256k1.PublicKey, sort bool, tweak KeyAggOption,
) CombineOption {
	return func(o *combineOptions) {
		// If the tweak is invalid, AggregateKeys returns a nil key, and reading its field FinalKey
		// panics, as in the replaced package: no signature is made without a key.
		key, _, tweakAcc, _ := AggregateKeys(keys, sort, tweak)
		o.msg, o.combinedKey, o.tweakAcc = msg, key.FinalKey, tweakAcc
	}
}

// WithTweakedCombine says that the signature is under a key that was tweaked as by [WithKeyTweaks].
func WithTweakedCombine(
	msg [32]byte, keys []*secp256k1.PublicKey, tweaks []KeyTweakDesc, sort bool,
) CombineOption {
	return aggregated(msg, keys, sort, WithKeyTweaks(tweaks...))
}

// WithTaprootTweakedCombine says that the signature is under a key that was tweaked as by
// [WithTaprootKeyTweak].
func WithTaprootTweakedCombine(
	msg [32]byte, keys []*secp256k1.PublicKey, scriptRoot []byte, sort bool,
) CombineOption {
	return aggregated(msg, keys, sort, WithTaprootKeyTweak(scriptRoot))
}

// WithBip86TweakedCombine says that the signature is under a key that was tweaked as by
// [WithBIP86KeyTweak].
func WithBip86TweakedCombine(
	msg [32]byte, keys []*secp256k1.PublicKey, sort bool,
) CombineOption {
	return aggregated(msg, keys, sort, WithBIP86KeyTweak())
}

// CombineSigs adds up the partial signatures of all signers, and returns the sum as a signature
// ("PartialSigAgg" of BIP-327). combinedNonce is the point R in all partial signatures. CombineSigs
// does not verify the signature.
func CombineSigs(
	combinedNonce *secp256k1.PublicKey, partialSigs []*PartialSignature,
	combineOpts ...CombineOption,
) *schnorr.Signature {
	var o combineOptions
	for _, option := range combineOpts {
		option(&o)
	}
	var s scalar.Scalar
	if o.combinedKey != nil && o.tweakAcc != nil {
		// Begin with the term of the tweaks: the challenge times the accumulated tweak, negated if
		// the key has an odd y coordinate.
		s = *challenge(combinedNonce, o.combinedKey, &o.msg)
		s.Mul(&s, number(o.tweakAcc))
		s.CondNeg(&s, choice(hasOddY(o.combinedKey)))
	}
	for _, part := range partialSigs {
		s.Add(&s, number(part.S))
	}
	var nonce secp256k1.JacobianPoint
	combinedNonce.AsJacobian(&nonce)
	return schnorr.NewSignature(&nonce.X, (*secp256k1.ModNScalar)(&s))
}
