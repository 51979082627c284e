package frost

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/msm"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A BlameError names the participants who sent an invalid contribution. If the contributions came
// over authenticated channels, these participants misbehave.
type BlameError struct {
	IDs          []uint32 // identifiers, in the order of the call's arguments
	Contribution string   // the kind of contribution, such as "partial signature"
}

// Error names the kind of contribution and the participants.
func (e *BlameError) Error() string {
	if e == nil {
		return "frost: no contribution is known to be invalid"
	}
	return fmt.Sprintf("frost: invalid %s of participants %d", e.Contribution, e.IDs)
}

// VerifyPartials returns nil if all partial signatures are valid (PartialSigVerify of BIP-445). The
// nonce and the partial signature of the signer at position i of NewSigners are nonces[i] and
// partials[i], 32 bytes. The time depends on all arguments, which are public.
//
// If partial signatures are invalid, the error is a *BlameError with all their signers. A partial
// signature is invalid if it does not have 32 bytes, if it is not below n, or if its equation does
// not hold. All equations are verified as one, with random factors of 128 bits from crypto/rand: an
// invalid partial signature passes with a probability of 2⁻¹²⁸. If the one equation does not hold,
// the equations are verified one by one.
//
// There are other errors if the numbers of arguments are not that of the signers, if a nonce is nil
// or a zero value, and if the sum of the nonces is not the aggregate nonce of the session: then the
// coordinator has added other nonces.
func (s *Session) VerifyPartials(nonces []*PublicNonce, partials [][]byte) error {
	if s.isZero() {
		return errNoSession
	}
	if len(nonces) != len(s.signers.ids) || len(partials) != len(s.signers.ids) {
		return fmt.Errorf("frost: %d nonces and %d partial signatures, want %d",
			len(nonces), len(partials), len(s.signers.ids))
	}
	nonces = slices.Clone(nonces)
	if err := s.checkNonces(nonces); err != nil {
		return err
	}
	values := make([]group.Scalar, len(partials))
	malformed := make([]bool, len(partials))
	for i := range values {
		_, err := values[i].SetBytes(partials[i])
		malformed[i] = err != nil
	}
	if !slices.Contains(malformed, true) {
		if holds, err := s.verifyTogether(nonces, values); holds || err != nil {
			return err
		}
	}
	blame := &BlameError{Contribution: "partial signature"}
	for i := range values {
		var left group.Point
		if malformed[i] ||
			!left.ScalarBaseMultVartime(&values[i]).Equal(s.partial(i, nonces[i])) {
			blame.IDs = append(blame.IDs, s.signers.ids[i])
		}
	}
	return blame
}

// checkNonces returns an error unless the nonces are those of the session.
func (s *Session) checkNonces(nonces []*PublicNonce) error {
	sum, err := AggregateNonces(nonces)
	if err != nil {
		return err
	}
	if s.nonce != nil && !equal(&sum.points, &s.nonce.points) {
		return errors.New("frost: aggregate nonce: not the sum of the signers' nonces")
	}
	for i := range s.nonces {
		if !nonces[i].equal(s.nonces[i]) {
			return fmt.Errorf("frost: public nonce of participant %d: not that of the session",
				s.signers.ids[i])
		}
	}
	return nil
}

func equal(a, b *[2]group.Point) bool { return a[0].Equal(&b[0]) && a[1].Equal(&b[1]) }

// verifyTogether reports whether all partial signatures are valid, by one equation:
//
//	Σ wᵢ·(±(R₁ + b·R₂) ± e·λ·P − s·G) = 0
//
// with random factors wᵢ of 128 bits.
func (s *Session) verifyTogether(nonces []*PublicNonce, values []group.Scalar) (bool, error) {
	n := len(values)
	scalars, points := make([]group.Scalar, 3*n+1), make([]group.Point, 3*n+1)
	base := &scalars[3*n]
	points[3*n].SetGenerator()
	for i := range values {
		w := modn.RandomFactor(new(group.Scalar))
		var sw group.Scalar
		base.Sub(base, sw.Mul(&values[i], w))
		scalars[3*i+2].Mul(s.factor(i), w)
		if s.negateNonces {
			w.Negate(w)
		}
		scalars[3*i].Set(w)
		scalars[3*i+1].Mul(&s.binding[i], w)
		points[3*i].Set(&nonces[i].points[0])
		points[3*i+1].Set(&nonces[i].points[1])
		points[3*i+2].Set(&s.signers.shares[i])
	}
	sum, err := msm.SumVartime(context.Background(), scalars, points, nil)
	return sum.IsIdentity(), err
}

// Aggregate returns the signature that the partial signatures add up to (PartialSigAgg of BIP-445):
// 64 bytes of BIP-340 under s.PublicKey(), or in a session of RFC 9591 65 bytes. The partial
// signature of the signer at position i of NewSigners is partials[i].
//
// If a partial signature does not have 32 bytes or is not below n, the error is a *BlameError.
// Aggregate verifies the signature and returns an error if it is not valid. VerifyPartials then
// shows who misbehaved.
func (s *Session) Aggregate(partials [][]byte) ([]byte, error) {
	if s.isZero() {
		return nil, errNoSession
	}
	if len(partials) != len(s.signers.ids) {
		return nil, fmt.Errorf("frost: %d partial signatures, want %d", len(partials), len(s.signers.ids))
	}
	var sum, value group.Scalar
	blame := &BlameError{Contribution: "partial signature"}
	for i := range partials {
		if _, err := value.SetBytes(partials[i]); err != nil {
			blame.IDs = append(blame.IDs, s.signers.ids[i])
			continue
		}
		sum.Add(&sum, &value)
	}
	if len(blame.IDs) > 0 {
		return nil, blame
	}
	sum.Add(&sum, value.Mul(&s.challenge, &s.key.t))
	var signature []byte
	var valid bool
	if s.nonces != nil {
		signature = sum.AppendBytes(s.r.Bytes())
		valid = VerifyRFC9591(s.key.key, s.message, signature)
	} else {
		signature = sum.AppendBytes(s.r.XOnlyPublicKey().Bytes())
		valid = schnorr.Verify(s.key.key.XOnlyPublicKey(), s.message, signature)
	}
	if !valid {
		return nil, errInvalid
	}
	return signature, nil
}

var errInvalid = errors.New("frost: the signature is not valid: a partial signature is not valid")
