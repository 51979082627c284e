//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"errors"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

var (
	// ErrTweakedKeyIsInfinity is returned if the tweaked key would be infinity.
	ErrTweakedKeyIsInfinity = errors.New("tweaked key is infinity point")
	// ErrTweakedKeyOverflows is returned if a tweak is not below the order n of the group.
	ErrTweakedKeyOverflows = errors.New("tweaked key is too large")
)

// An AggregateKey is the aggregated key of all signers.
type AggregateKey struct {
	// FinalKey is the key after all tweaks.
	FinalKey *secp256k1.PublicKey
	// PreTweakedKey is the key before the first tweak, the internal key of taproot.
	PreTweakedKey *secp256k1.PublicKey
}

// AggregateKeys returns the aggregated key ("KeyAgg" and "ApplyTweak" of BIP-327), and the
// accumulated sign and tweak ("gacc" and "tacc"). If sort is set, it first sorts keys in place. It
// returns an error if a tweak is invalid. The running time depends on the input.
func AggregateKeys(keys []*secp256k1.PublicKey, sort bool, keyOpts ...KeyAggOption) (
	*AggregateKey, *secp256k1.ModNScalar, *secp256k1.ModNScalar, error,
) {
	var o keyAggOption
	for _, option := range keyOpts {
		option(&o)
	}
	all := encodings(keys)
	if sort {
		sortKeys(keys, all)
	}
	var a aggregate
	if _, err := a.set(keys, all, &o); err != nil {
		return nil, nil, nil, err
	}
	parity := new(secp256k1.ModNScalar).SetInt(1)
	if a.key.Negated.Bool() {
		parity.Negate()
	}
	return &AggregateKey{FinalKey: a.final, PreTweakedKey: a.internal},
		parity, (*secp256k1.ModNScalar)(&a.key.TAcc), nil
}

// An aggregate is the aggregated key of all signers, with the values that signatures need.
type aggregate struct {
	hash   [32]byte // the hash of all keys
	second int      // index of the second distinct key, or −1

	internal, final *secp256k1.PublicKey

	key musig.Key
}

// set sets a to the aggregate of keys, whose compressed encodings are given in the same order, and
// returns copies of the keys. It leaves out keys that are not on the curve. If a key has changed
// since it was encoded, set replaces the encoding: the key that is hashed must be the key that is
// added.
func (a *aggregate) set(
	keys []*secp256k1.PublicKey, encodings []encoded, o *keyAggOption,
) (own []secp256k1.PublicKey, err error) {
	own = make([]secp256k1.PublicKey, len(keys))
	for i, key := range keys {
		own[i] = *key
		encodings[i] = encoded(own[i].SerializeCompressed())
	}
	if o.keyHash != nil {
		copy(a.hash[:], o.keyHash)
	} else {
		musig.HashKeys(&a.hash, encodings)
	}
	if o.uniqueKeyIndex != nil {
		a.second = *o.uniqueKeyIndex
	} else {
		a.second = musig.SecondKey(encodings)
	}
	var points []point.Affine
	var coefficients []scalar.Scalar
	for i := range own {
		if p, onCurve := affine(&own[i]); onCurve {
			var c scalar.Scalar
			a.coefficient(&c, encodings, &encodings[i])
			points, coefficients = append(points, p), append(coefficients, c)
		}
	}
	a.key.Set(points, coefficients)
	a.internal = secp256k1.FromAffine(&a.key.Q)
	o.setTaproot(a.internal)
	for i := range o.tweaks {
		if err := a.apply(&o.tweaks[i]); err != nil {
			return nil, err
		}
	}
	a.final = secp256k1.FromAffine(&a.key.Q)
	return own, nil
}

// setTaproot replaces the first tweak, the root of a script tree, by the hash that tweaks the
// internal key (BIP-341).
func (o *keyAggOption) setTaproot(internal *secp256k1.PublicKey) {
	if !o.taprootTweak {
		return
	}
	var root []byte
	if !o.bip86Tweak {
		root = o.tweaks[0].Tweak[:]
	}
	hash.TapTweak(&o.tweaks[0].Tweak, (*[32]byte)(xBytes(internal)), root)
}

// apply tweaks the key. A key that was infinity before the tweak may stay infinity.
func (a *aggregate) apply(tweak *KeyTweakDesc) error {
	var t scalar.Scalar
	if !t.SetBytes(&tweak.Tweak).Bool() {
		return ErrTweakedKeyOverflows
	}
	finite := a.key.Q != (point.Affine{})
	if !a.key.Apply(&t, tweak.IsXOnly) && finite {
		return ErrTweakedKeyIsInfinity
	}
	return nil
}

// choice converts b to a ct.Choice.
func choice(b bool) ct.Choice {
	if b {
		return 1
	}
	return 0
}

// coefficient sets c to the coefficient of a key in the aggregated key.
func (a *aggregate) coefficient(c *scalar.Scalar, all []encoded, key *encoded) {
	var second *encoded
	if a.second != -1 {
		second = &all[a.second]
	}
	musig.Coefficient(c, &a.hash, second, key)
}
