//ct:public takes public keys and tweaks

package musig

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// An Encoded is a point in compressed form, or 33 zeros for infinity (cbytes_ext).
type Encoded = [33]byte

// Encode returns the encoding of a, which must be normalized.
func Encode(a *point.Affine) (b Encoded) {
	if *a != (point.Affine{}) {
		b[0] = 2 | byte(a.Y.IsOdd())
		a.X.PutBytes((*[32]byte)(b[1:]))
	}
	return b
}

// HashKeys sets digest to the hash of all keys (HashKeys).
func HashKeys(digest *[32]byte, keys []Encoded) {
	joined := make([]byte, 0, len(keys)*len(Encoded{}))
	for i := range keys {
		joined = append(joined, keys[i][:]...)
	}
	hash.Tagged(digest, "KeyAgg list", joined)
}

// SecondKey returns the index of the first key that differs from keys[0] (GetSecondKey), or −1 if
// all keys are equal.
func SecondKey(keys []Encoded) int {
	for i := range keys {
		if keys[i] != keys[0] {
			return i
		}
	}
	return -1
}

// Coefficient sets a to the coefficient of a key (KeyAggCoeffInternal). all is the hash of all
// keys. second is the second distinct key, or nil if all keys are equal.
func Coefficient(a *scalar.Scalar, all *[32]byte, second, key *Encoded) {
	if second != nil && *second == *key {
		a.One()
		return
	}
	var h [32]byte
	hash.Tagged(&h, "KeyAgg coefficient", all[:], key[:])
	a.SetBytes(&h)
}

// A Key is an aggregate key with its tweaks: the KeyAgg Context of the BIP.
type Key struct {
	Q       point.Affine  // the key, normalized
	Negated ct.Choice     // 1 if the accumulated sign gacc is −1
	TAcc    scalar.Scalar // the accumulated tweak tacc
}

// maxTerms is the maximum number of keys that are added up in one sum.
const maxTerms = 1024

// Set sets k to the sum of coefficients[i]·points[i], without tweaks. It returns false if the sum
// is infinity.
func (k *Key) Set(points []point.Affine, coefficients []scalar.Scalar) (finite bool) {
	var total, part point.Jacobian
	var s sums.Sum
	one := new(scalar.Scalar).One()
	for len(points) > 0 {
		n := min(len(points), maxTerms)
		s.Reset(n, 0)
		for i := range n {
			if a := &coefficients[i]; a.Equal(one).Bool() {
				total.AddMixedVartime(&total, &points[i])
			} else {
				s.SetFull(i, a, &points[i])
			}
		}
		// Result fails only if the context ends, and this context never ends.
		_ = s.Result(context.Background(), &part, forkjoin.New(1))
		total.AddVartime(&total, &part)
		points, coefficients = points[n:], coefficients[n:]
	}
	*k = Key{}
	return setAffine(&k.Q, &total)
}

// setAffine sets a to p, normalized. It returns false if p is infinity.
func setAffine(a *point.Affine, p *point.Jacobian) (finite bool) {
	if finite = a.SetJacobianVartime(p); !finite {
		*a = point.Affine{}
	}
	return finite
}

// Apply tweaks k by t (ApplyTweak): it adds t·G to the key. If xOnly is set, it first negates a key
// with an odd y coordinate. Apply returns false if the sum is infinity.
func (k *Key) Apply(t *scalar.Scalar, xOnly bool) (finite bool) {
	if xOnly && k.Q.Y.IsOdd().Bool() {
		k.Q.Neg(&k.Q).Normalize()
		k.Negated = k.Negated.Not()
		k.TAcc.Neg(&k.TAcc)
	}
	k.TAcc.Add(&k.TAcc, t)
	var sum point.Jacobian
	vartime.ScalarBaseMult(&sum, t)
	if k.Q != (point.Affine{}) {
		sum.AddMixedVartime(&sum, &k.Q)
	}
	return setAffine(&k.Q, &sum)
}
