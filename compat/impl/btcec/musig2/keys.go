//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"context"
	"errors"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
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
	a.hash, a.second = o.keyHash, o.uniqueKeyIndex
	if err := a.set(keys, all, &o); err != nil {
		return nil, nil, nil, err
	}
	parity := new(secp256k1.ModNScalar).SetInt(1)
	if a.negated {
		parity.Negate()
	}
	return &AggregateKey{FinalKey: a.final, PreTweakedKey: a.internal},
		parity, (*secp256k1.ModNScalar)(&a.tweak), nil
}

// An aggregate is the aggregated key of all signers, with the values that signatures need.
type aggregate struct {
	hash   []byte // the hash of all keys
	second *int   // index of the second distinct key, or −1

	internal, final *secp256k1.PublicKey

	negated bool          // whether the accumulated sign gacc is −1
	tweak   scalar.Scalar // the accumulated tweak tacc
}

// set sets a to the aggregate of keys, whose compressed encodings are given in the same order. The
// fields hash and second may be set already, by options.
func (a *aggregate) set(keys []*secp256k1.PublicKey, encodings []encoded, o *keyAggOption) error {
	if a.hash == nil {
		a.hash = keysHash(encodings)
	}
	if a.second == nil {
		second := secondKey(encodings)
		a.second = &second
	}
	var q point.Jacobian
	a.sum(&q, keys, encodings)
	a.internal = publicKey(&q)
	a.final = a.internal
	o.setTaproot(a.internal)
	for i := range o.tweaks {
		if err := a.apply(&q, &o.tweaks[i]); err != nil {
			return err
		}
		a.final = publicKey(&q)
	}
	if a.final == a.internal {
		a.final = new(secp256k1.PublicKey)
		*a.final = *a.internal
	}
	return nil
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

// apply adds a tweak to the key q ("ApplyTweak" of BIP-327). On entry the field final
// holds q in affine coordinates.
func (a *aggregate) apply(q *point.Jacobian, tweak *KeyTweakDesc) error {
	negate := tweak.IsXOnly && hasOddY(a.final)
	var t scalar.Scalar
	if !t.SetBytes(&tweak.Tweak).Bool() {
		return ErrTweakedKeyOverflows
	}
	var sum point.Jacobian
	vartime.ScalarBaseMult(&sum, &t)
	if p, onCurve := affine(a.final); onCurve {
		p.CondNeg(&p, choice(negate))
		sum.AddMixedVartime(&sum, &p)
		// A key that was infinity before the tweak may stay infinity.
		if sum.IsInfinity().Bool() {
			return ErrTweakedKeyIsInfinity
		}
	}
	*q = sum
	a.negated = a.negated != negate
	a.tweak.CondNeg(&a.tweak, choice(negate))
	a.tweak.Add(&a.tweak, &t)
	return nil
}

// choice converts b to a ct.Choice.
func choice(b bool) ct.Choice {
	if b {
		return 1
	}
	return 0
}

// coefficient returns the coefficient of a key in the aggregated key ("KeyAggCoeff" of BIP-327).
func (a *aggregate) coefficient(all []encoded, key *encoded) *scalar.Scalar {
	if *a.second != -1 && all[*a.second] == *key {
		return new(scalar.Scalar).One()
	}
	var h [32]byte
	copy(h[:], a.hash)
	hash.Tagged(&h, string(KeyAggTagCoeff), h[:], key[:])
	return hashed(&h)
}

// maxTerms is the greatest number of keys that are added up in one sum.
const maxTerms = 1024

// sum sets q to the sum of the keys, each multiplied by its coefficient. It leaves out keys that
// are not on the curve.
func (a *aggregate) sum(q *point.Jacobian, keys []*secp256k1.PublicKey, all []encoded) {
	var s sums.Sum
	one := new(scalar.Scalar).One()
	for first := 0; first < len(keys); first += maxTerms {
		part := keys[first:min(first+maxTerms, len(keys))]
		s.Reset(len(part), 0)
		for i, key := range part {
			k := a.coefficient(all, &all[first+i])
			p, onCurve := affine(key)
			switch {
			case !onCurve:
			case k.Equal(one).Bool():
				q.AddMixedVartime(q, &p)
			default:
				s.SetFull(i, k, &p)
			}
		}
		var r point.Jacobian
		// Result fails only if the context ends, and this context never ends.
		_ = s.Result(context.Background(), &r, crew.New(1))
		q.AddVartime(q, &r)
	}
}
