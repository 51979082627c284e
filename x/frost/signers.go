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
	shares []group.Point   // by signer, the public share
	lambda []*group.Scalar // by signer, the Lagrange coefficient
	key    *koblitz.PublicKey
}

var errNoSigners = errors.New("frost: signers: nil or a zero value")

// NewSigners returns the signers ids[i] with the public shares shares[i], for the threshold public
// key of a group of n participants, any t of whom can sign (ValidateSignersCtx of BIP-445). It
// returns an error unless 1 ≤ t ≤ n < 2^32, if there are fewer than t or more than n signers, if an
// identifier is not below n or occurs twice, if a key is nil or a zero value, or if the shares do
// not determine the threshold public key. All arguments are public: the time depends on them, and
// grows with the square of the number of signers.
func NewSigners(
	t, n int, ids []uint32, shares []*koblitz.PublicKey, key *koblitz.PublicKey,
) (*Signers, error) {
	if err := checkSizes(t, n); err != nil {
		return nil, err
	}
	ids = slices.Clone(ids)
	if err := checkIDs(ids, t, n); err != nil {
		return nil, fmt.Errorf("frost: signers: %w", err)
	}
	switch {
	case len(shares) != len(ids):
		return nil, fmt.Errorf("frost: signers: %d public shares for %d identifiers",
			len(shares), len(ids))
	case key.IsZero():
		return nil, fmt.Errorf("frost: signers: threshold public key: %w", koblitz.ErrZeroKey)
	}
	s := &Signers{ids: ids, shares: make([]group.Point, len(ids))}
	x := make([]*group.Scalar, len(ids))
	for i, id := range ids {
		x[i] = abscissa(id)
		if _, err := s.shares[i].SetPublicKey(shares[i]); err != nil {
			return nil, fmt.Errorf("frost: signers: index %d: public share: %w", i, err)
		}
	}
	var err error
	if s.lambda, err = group.Lagrange(x); err != nil { // two are equal
		return nil, fmt.Errorf("frost: signers: %w", err)
	}
	factors := make([]group.Scalar, len(ids))
	for i := range factors {
		factors[i].Set(s.lambda[i])
	}
	sum, err := msm.SumVartime(context.Background(), factors, s.shares, nil)
	if err != nil {
		return nil, err
	}
	if s.key, err = sum.PublicKey(); err != nil || !s.key.Equal(key) {
		return nil, errors.New("frost: signers: the shares are not those of the threshold public key")
	}
	return s, nil
}

// IDs returns the identifiers in the order of NewSigners, or nil if s is nil or a zero value.
func (s *Signers) IDs() []uint32 {
	if s == nil {
		return nil
	}
	return slices.Clone(s.ids)
}

// index returns the position of a signer, or an error if id does not sign or if share is not its
// secret share.
func (s *Signers) index(id uint32, share *koblitz.PrivateKey) (int, error) {
	i := slices.Index(s.ids, id)
	if i < 0 {
		return 0, fmt.Errorf("frost: participant %d is not among the signers", id)
	}
	if share.IsZero() {
		return 0, fmt.Errorf("frost: secret share: %w", koblitz.ErrZeroKey)
	}
	if want, err := s.shares[i].PublicKey(); err != nil || !share.PublicKey().Equal(want) {
		return 0, fmt.Errorf("frost: secret share: not that of participant %d's public share", id)
	}
	return i, nil
}

// coefficient returns signer i's Lagrange coefficient, computed from the identifiers.
func (s *Signers) coefficient(i int) *group.Scalar {
	var numerator, denominator, x group.Scalar
	numerator.SetUint64(1)
	denominator.SetUint64(1)
	for j, id := range s.ids {
		if j != i {
			numerator.Mul(&numerator, x.Set(abscissa(id)))
			denominator.Mul(&denominator, x.Sub(&x, abscissa(s.ids[i])))
		}
	}
	return numerator.Mul(&numerator, denominator.Invert(&denominator))
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
