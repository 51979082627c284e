//ct:public takes public keys and tweaks

package musig2

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// An AggregateKey is the aggregate of the public keys of all signers, with its tweaks. It does not
// change. The zero value holds no key.
type AggregateKey struct {
	_       [0]func() // forbids comparison with ==
	signers *signers
	key     musig.Key
}

// signers holds the keys of all signers in the order of AggregateKeys, with their coefficients.
// Aggregate keys that differ only in tweaks share it.
type signers struct {
	points       []point.Affine
	coefficients []scalar.Scalar
}

var (
	errNoKey      = errors.New("musig2: the aggregate key is nil or a zero value")
	errTweakRange = errors.New("musig2: tweak: not below the group order n")
	errTweakZero  = errors.New("musig2: tweak: the tweaked key is infinity")
)

// AggregateKeys returns the aggregate of the keys of all signers (KeyAgg). The result depends on
// their order; [koblitz.SortKeys] gives an order that does not depend on the signers (KeySort).
// Signer i is the owner of publicKeys[i]. A key may occur more than once. The time depends on the
// keys.
//
// There is an error if there are no keys, or, with negligible probability, if the sum is infinity.
// If a key is nil or a zero value, the error names the signer and wraps [koblitz.ErrZeroKey].
func AggregateKeys(publicKeys ...*koblitz.PublicKey) (*AggregateKey, error) {
	if len(publicKeys) == 0 {
		return nil, errors.New("musig2: aggregate: no keys")
	}
	n := len(publicKeys)
	s := &signers{make([]point.Affine, n), make([]scalar.Scalar, n)}
	encodings := make([]musig.Encoded, n)
	for i, k := range publicKeys {
		a := (*keys.Public)(k).Affine()
		if a == nil {
			return nil, fmt.Errorf("musig2: aggregate: key of signer %d: %w", i, koblitz.ErrZeroKey)
		}
		s.points[i] = *a
		encodings[i] = musig.Encode(&s.points[i]) // of the copy, which the caller cannot change
	}
	var all [32]byte
	musig.HashKeys(&all, encodings)
	var second *musig.Encoded
	if i := musig.SecondKey(encodings); i >= 0 {
		second = &encodings[i]
	}
	for i := range encodings {
		musig.Coefficient(&s.coefficients[i], &all, second, &encodings[i])
	}
	k := &AggregateKey{signers: s}
	if !k.key.Set(s.points, s.coefficients) {
		return nil, errors.New("musig2: aggregate: the sum is infinity")
	}
	return k, nil
}

// IsZero reports whether k holds no key: it is nil or a zero value.
func (k *AggregateKey) IsZero() bool { return k == nil || k.signers == nil }

// Signers returns the number of signers. Signers are numbered from 0, in the order of their keys.
func (k *AggregateKey) Signers() int {
	if k.IsZero() {
		return 0
	}
	return len(k.signers.points)
}

// PublicKey returns the aggregate key with its tweaks (GetPlainPubkey), or nil if k holds no key.
func (k *AggregateKey) PublicKey() *koblitz.PublicKey {
	if k.IsZero() {
		return nil
	}
	p := new(koblitz.PublicKey)
	(*keys.Public)(p).SetAffine(&k.key.Q)
	return p
}

// XOnlyPublicKey returns the key under which signatures verify (GetXonlyPubkey), or nil if k holds
// no key.
func (k *AggregateKey) XOnlyPublicKey() *koblitz.XOnlyPublicKey {
	return k.PublicKey().XOnlyPublicKey()
}

// TweakAdd returns k with the plain tweak added (ApplyTweak), as the derivation of child keys in
// BIP-32 and BIP-328 does. The tweak is 32 bytes, big-endian. The time depends on it.
//
// There is an error if the tweak is not below n, if the tweaked key is infinity, or if k holds no
// key.
func (k *AggregateKey) TweakAdd(tweak []byte) (*AggregateKey, error) {
	return k.apply(tweak, false)
}

// TweakAddXOnly returns k with the x-only tweak added (ApplyTweak): if the key has an odd y
// coordinate, it is negated first. Otherwise it is like TweakAdd.
func (k *AggregateKey) TweakAddXOnly(tweak []byte) (*AggregateKey, error) {
	return k.apply(tweak, true)
}

// TaprootTweak returns k as the output key of a taproot output whose internal key is k (BIP-341).
// merkleRoot is the 32 bytes of the Merkle root of the output's scripts, or empty if the output has
// no scripts. The time depends on merkleRoot.
//
// There is an error if merkleRoot has another length, if k holds no key, or, with negligible
// probability, if the tweak is not below n or the tweaked key is infinity.
func (k *AggregateKey) TaprootTweak(merkleRoot []byte) (*AggregateKey, error) {
	if len(merkleRoot) != 0 && len(merkleRoot) != 32 {
		return nil, fmt.Errorf("musig2: taproot: Merkle root: %d bytes, want 0 or 32", len(merkleRoot))
	}
	if k.IsZero() {
		return nil, errNoKey
	}
	own := *k // the key that is hashed must be the key that is tweaked
	var tweak [32]byte
	own.key.Q.X.PutBytes(&tweak)
	hash.TapTweak(&tweak, &tweak, merkleRoot)
	return own.apply(tweak[:], true)
}

func (k *AggregateKey) apply(tweak []byte, xOnly bool) (*AggregateKey, error) {
	if k.IsZero() {
		return nil, errNoKey
	}
	if len(tweak) != 32 {
		return nil, fmt.Errorf("musig2: tweak: %d bytes, want 32", len(tweak))
	}
	var t scalar.Scalar
	if !t.SetBytes((*[32]byte)(tweak)).Bool() {
		return nil, errTweakRange
	}
	tweaked := &AggregateKey{signers: k.signers, key: k.key}
	if !tweaked.key.Apply(&t, xOnly) {
		return nil, errTweakZero
	}
	return tweaked, nil
}

// isUnchanged computes the sum of all signers' keys again, with its sign and its tweaks, and
// reports whether it is the key. It returns false if one of these numbers changed since k was made.
func (k *AggregateKey) isUnchanged() bool {
	var again musig.Key
	if !again.Set(k.signers.points, k.signers.coefficients) {
		return false
	}
	again.Q.CondNeg(&again.Q, k.key.Negated).Normalize()
	return again.Apply(&k.key.TAcc, false) && again.Q == k.key.Q
}

// index returns the number of the first signer with the key p, or −1 if there is none. All signers
// with the same key have the same coefficient.
func (s *signers) index(p *point.Affine) int {
	for i := range s.points {
		if s.points[i].Equal(p).Bool() {
			return i
		}
	}
	return -1
}
