//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"slices"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// A knownKey caches the aggregated key of a context, together with the keys and tweaks from which
// it was computed.
//
// Callers may change keys, tweaks and the order of signers in memory that the context refers to.
// The results must then be the same as without a cache. So a knownKey holds copies of the keys and
// tweaks, and is used only if the current ones are equal to the copies.
type knownKey struct {
	keys    []secp256k1.PublicKey
	tweaks  []KeyTweakDesc // the tweaks as they were before setTaproot
	taproot bool
	bip86   bool

	key aggregate
}

// newKnownKey computes the aggregated key of keys, whose compressed encodings are given in the same
// order. It returns an error if a tweak is invalid.
func newKnownKey(
	keys []*secp256k1.PublicKey, encodings []encoded, o *keyAggOption,
) (*knownKey, error) {
	k := &knownKey{tweaks: slices.Clone(o.tweaks), taproot: o.taprootTweak, bip86: o.bip86Tweak}
	o.tweaks = slices.Clone(k.tweaks) // not those of the caller, who may change them meanwhile
	var err error
	if k.keys, err = k.key.set(keys, encodings, o); err != nil {
		return nil, err
	}
	return k, nil
}

// aggregate returns the aggregated key: the cached one if k was computed from the same keys and
// tweaks, and otherwise a new one. k may be nil.
func (k *knownKey) aggregate(
	keys []*secp256k1.PublicKey, all []encoded, o *keyAggOption,
) (*aggregate, error) {
	if k.computedFrom(keys, o) {
		return &k.key, nil
	}
	a := new(aggregate)
	_, err := a.set(keys, all, o)
	return a, err
}

// computedFrom reports whether k was computed from the given keys and tweaks.
func (k *knownKey) computedFrom(keys []*secp256k1.PublicKey, o *keyAggOption) bool {
	return k != nil && k.taproot == o.taprootTweak && k.bip86 == o.bip86Tweak &&
		slices.Equal(k.tweaks, o.tweaks) &&
		slices.EqualFunc(k.keys, keys, func(a secp256k1.PublicKey, b *secp256k1.PublicKey) bool {
			return a == *b
		})
}
