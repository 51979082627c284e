package frost

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
)

// Signers are the participants of a signing session and their public shares (the Signers Context of
// BIP-445). NewSigners checks them once, for any number of sessions. The zero value has no signers,
// and no session accepts it.
type Signers struct {
	ids    []uint32
	shares []group.Point  // by signer, the public share
	lambda []group.Scalar // by signer, the Lagrange coefficient
	key    *koblitz.PublicKey
}

var errNoSigners = errors.New("frost: signers: nil or a zero value")

// NewSigners returns the signers ids[i] with the public shares shares[i], for the threshold public
// key of a group of n participants, any t of whom can sign (ValidateSignersCtx of BIP-445). It
// returns an error unless 1 ≤ t ≤ n < 2^32, if there are fewer than t or more than n signers, if an
// identifier is not below n or occurs twice, if a key is nil or a zero value, or if the shares do
// not determine the threshold public key. All arguments are public: the time depends on them.
func NewSigners(
	t, n int, ids []uint32, shares []*koblitz.PublicKey, key *koblitz.PublicKey,
) (*Signers, error) {
	if err := checkSizes(t, n); err != nil {
		return nil, err
	}
	switch {
	case len(ids) < t || len(ids) > n:
		return nil, fmt.Errorf("frost: signers: %d, want %d to %d", len(ids), t, n)
	case len(shares) != len(ids):
		return nil, fmt.Errorf("frost: signers: %d public shares for %d identifiers",
			len(shares), len(ids))
	case key.IsZero():
		return nil, fmt.Errorf("frost: signers: threshold public key: %w", koblitz.ErrZeroKey)
	}
	s := &Signers{slices.Clone(ids), make([]group.Point, len(ids)), nil, key}
	for i, id := range ids {
		if uint64(id) >= uint64(n) {
			return nil, fmt.Errorf("frost: signers: index %d: identifier %d, want less than %d", i, id, n)
		}
		if _, err := s.shares[i].SetPublicKey(shares[i]); err != nil {
			return nil, fmt.Errorf("frost: signers: index %d: public share: %w", i, err)
		}
	}
	sorted := slices.Sorted(slices.Values(ids))
	for i, id := range sorted[1:] {
		if id == sorted[i] {
			return nil, fmt.Errorf("frost: signers: identifier %d occurs twice", id)
		}
	}
	s.lambda = lagrange(ids, -1)
	sum, err := msm.SumVartime(context.Background(), s.lambda, s.shares, nil)
	if err != nil {
		return nil, err
	}
	if found, err := sum.PublicKey(); err != nil || !found.Equal(key) {
		return nil, errors.New("frost: signers: the shares are not those of the threshold public key")
	}
	return s, nil
}

// IDs returns the identifiers in the order of NewSigners.
func (s *Signers) IDs() []uint32 { return slices.Clone(s.ids) }

// index returns the position of a signer, or an error if id does not sign.
func (s *Signers) index(id uint32) (int, error) {
	i := slices.Index(s.ids, id)
	if i < 0 {
		return 0, fmt.Errorf("frost: participant %d is not among the signers", id)
	}
	return i, nil
}

// serialized returns the identifiers in ascending order, 4 bytes each. Without the order, a
// coordinator that sends the same signers in several orders would get several equations for the
// same nonces (BIP-445, "Session Context").
func (s *Signers) serialized() []byte {
	var b []byte
	for _, id := range slices.SortedFunc(slices.Values(s.ids), cmp.Compare) {
		b = binary.BigEndian.AppendUint32(b, id)
	}
	return b
}

// lagrange returns the factors of the shares of ids whose sum is the value of the polynomial at the
// abscissa of participant at, or the secret if at is −1 (RFC 9591, section 4.2). Factor i is
//
//	Π (x − xⱼ) / (xᵢ − xⱼ) = Π (x − xⱼ) / ((x − xᵢ)·Π (xᵢ − xⱼ))
//
// where products are over j ≠ i, except for the numerator on the right, which is over all j.
// Abscissas differ from identifiers by 1, so differences are those of identifiers. The identifiers
// are distinct, and at is not among them.
func lagrange(ids []uint32, at int64) []group.Scalar {
	var numerator group.Scalar
	numerator.SetUint64(1)
	factors := make([]group.Scalar, len(ids))
	for i, id := range ids {
		multiply(&numerator, at-int64(id))
		denominator := factors[i].SetUint64(1)
		multiply(denominator, at-int64(id))
		for _, other := range ids {
			if other != id {
				multiply(denominator, int64(id)-int64(other))
			}
		}
	}
	invert(factors)
	for i := range factors {
		factors[i].Mul(&factors[i], &numerator)
	}
	return factors
}

// multiply replaces a by a·d.
func multiply(a *group.Scalar, d int64) {
	var s group.Scalar
	if d < 0 {
		a.Negate(a)
		d = -d
	}
	a.Mul(a, s.SetUint64(uint64(d)))
}

// invert replaces each nonzero number by its inverse, with one inversion (Montgomery's trick).
func invert(numbers []group.Scalar) {
	before := make([]group.Scalar, len(numbers)) // before[i] is the product of numbers 0 to i − 1
	var product group.Scalar
	product.SetUint64(1)
	for i := range numbers {
		before[i].Set(&product)
		product.Mul(&product, &numbers[i])
	}
	product.Invert(&product)
	for i := len(numbers) - 1; i >= 0; i-- {
		before[i].Mul(&before[i], &product)
		product.Mul(&product, &numbers[i])
		numbers[i].Set(&before[i])
	}
}
