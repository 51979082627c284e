package musig2

import (
	"slices"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// A knownKey is the key of all signers of a context, with what it was made of.
//
// Callers may change keys, tweaks and the order of signers behind the context's back. What
// comes of that must be what comes without a knownKey. So it holds copies, and is of use only
// for input that is the same.
type knownKey struct {
	keys    []secp256k1.PublicKey
	tweaks  []KeyTweakDesc // before that of taproot is hashed
	taproot bool
	bip86   bool

	key aggregate
}

// newKnownKey returns the key of all signers. all are the keys' encodings. There is an error if
// a tweak has one.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func newKnownKey(keys []*secp256k1.PublicKey, all []encoded, o *keyAggOption) (*knownKey, error) {
	k := &knownKey{tweaks: slices.Clone(o.tweaks), taproot: o.taprootTweak, bip86: o.bip86Tweak}
	for _, key := range keys {
		k.keys = append(k.keys, *key)
	}
	if err := k.key.set(keys, all, o); err != nil {
		return nil, err
	}
	return k, nil
}

// aggregate returns the key of all signers: k's if it was made of the same, or else another one.
// k may be nil.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (k *knownKey) aggregate(
	keys []*secp256k1.PublicKey, all []encoded, o *keyAggOption,
) (*aggregate, error) {
	if k.isOf(keys, o) {
		return &k.key, nil
	}
	a := new(aggregate)
	return a, a.set(keys, all, o)
}

// isOf reports whether k was made of these keys and tweaks.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2
func (k *knownKey) isOf(keys []*secp256k1.PublicKey, o *keyAggOption) bool {
	return k != nil && k.taproot == o.taprootTweak && k.bip86 == o.bip86Tweak &&
		slices.Equal(k.tweaks, o.tweaks) &&
		slices.EqualFunc(k.keys, keys, func(a secp256k1.PublicKey, b *secp256k1.PublicKey) bool {
			return a == *b
		})
}
