//ct:public verifies partial signatures, which are public

package musig2

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// VerifyPartial reports whether sig is the partial signature of signer i, whose key was argument i
// of [AggregateKeys], and whose public nonce is given (PartialSigVerify). It returns false if i is
// out of range, or if an argument is nil or a zero value.
//
// A partial signature is no signature: it can be forged for a public nonce that the forger chooses.
func (s *Session) VerifyPartial(i int, sig *PartialSignature, nonce *PublicNonce) bool {
	if s.IsZero() || sig.IsZero() || nonce.IsZero() || i < 0 || i >= s.key.Signers() {
		return false
	}
	return s.verify(i, &sig.s, &nonce.n)
}

// verify does the work of VerifyPartial.
func (s *Session) verify(i int, sig *scalar.Scalar, nonce *musig.Nonce) bool {
	var left, right point.Jacobian
	s.sides(&left, &right, i, sig, nonce)
	return left.Equal(&right).Bool()
}

// sides sets left to s·G − c·P and right to ±(R1 + b·R2). They are equal if the partial signature s
// of signer i is valid.
func (s *Session) sides(
	left, right *point.Jacobian, i int, sig *scalar.Scalar, nonce *musig.Nonce,
) {
	var c scalar.Scalar
	s.values.Factor(&c, &s.key.signers.coefficients[i])
	var r point.Jacobian
	nonce.Combine(&r, &s.values.B)
	s.values.Sides(left, right, sig, &c, &s.key.signers.points[i], &r)
}

// An InvalidError is the error of [Session.VerifyAll] that names the signers whose partial
// signatures are not valid, or whose partial signature or public nonce is missing.
type InvalidError struct {
	Signers []int  // in ascending order
	order   string // if some of them are valid for another signer
}

// Error names the signers. If some partial signatures are valid for other signers, it also names
// the other order.
func (e *InvalidError) Error() string {
	if e == nil {
		return "musig2: no partial signature is known to be invalid"
	}
	text := fmt.Sprintf("musig2: the partial signatures of these signers are not valid: %d", e.Signers)
	if e.order != "" {
		text += "; " + e.order
	}
	return text
}

// VerifyAll verifies the partial signatures of all signers (PartialSigVerify), given their public
// nonces. sigs[i] and nonces[i] are those of signer i, whose key was argument i of [AggregateKeys].
// For many signers VerifyAll takes a small part of the time of VerifyPartial for each.
//
// It returns an [InvalidError] with the signers whose partial signatures are not valid. A nil or
// zero element is not valid. There is another error, which blames no signer:
//
//   - if the number of partial signatures or nonces is not that of the signers,
//   - if all partial signatures are valid in another order, which the error names,
//   - if all partial signatures are valid and the nonces do not add up to the session's aggregate
//     nonce: then the aggregator or a nonce is to blame.
//
// VerifyAll finds another order if two of the three lists, keys, nonces and partial signatures,
// have the same.
//
// VerifyAll multiplies the equation of each signer by a random number of 128 bits, and verifies the
// sum of all. If it holds, the probability that an equation does not hold is 2⁻¹²⁸. Otherwise
// VerifyAll verifies both halves of the signers in the same way, and continues with the half that
// does not hold. If neither holds, it verifies their partial signatures one by one.
func (s *Session) VerifyAll(sigs []*PartialSignature, nonces []*PublicNonce) error {
	if s.IsZero() {
		return errNoSession
	}
	n := s.key.Signers()
	if len(sigs) != n || len(nonces) != n {
		return fmt.Errorf("musig2: %d partial signatures and %d public nonces of %d signers",
			len(sigs), len(nonces), n)
	}
	// Copies: what is verified in one equation is what else is verified, named and added up.
	sigs, nonces = slices.Clone(sigs), slices.Clone(nonces)
	var bad []wrong
	for from := 0; from < n; from += maxRows {
		to := min(n, from+maxRows)
		if to-from < minRows || !s.allValid(sigs, nonces, from, to) {
			bad = s.invalid(bad, sigs, nonces, from, to)
		}
	}
	if bad != nil {
		order, all := findOrder(bad)
		if all {
			return errors.New("musig2: " + order)
		}
		e := &InvalidError{order: order}
		for i := range bad {
			e.Signers = append(e.Signers, bad[i].signer)
		}
		return e
	}
	var sum musig.Nonce
	sum.Aggregate(n, func(i int) *musig.Nonce { return &nonces[i].n })
	if sum != s.n {
		return errors.New("musig2: the public nonces do not add up to the aggregate nonce")
	}
	return nil
}

// minRows is the number of signers from which one equation is faster than one for each.
// maxRows is the maximum number of signers of an equation.
const (
	minRows = 3
	maxRows = 1024
)

// invalid appends to bad the signers in [from, to) whose partial signatures are not valid. Their
// common equation does not hold, or was not computed. While only one half of them contains invalid
// ones, the search goes on there. Many invalid ones so cost little more than verifying each.
func (s *Session) invalid(
	bad []wrong, sigs []*PartialSignature, nonces []*PublicNonce, from, to int,
) []wrong {
	for to-from >= 2*minRows {
		middle := from + (to-from)/2
		if s.allValid(sigs, nonces, from, middle) {
			from = middle
		} else if s.allValid(sigs, nonces, middle, to) {
			to = middle
		} else {
			break
		}
	}
	for i := from; i < to; i++ {
		w := wrong{signer: i}
		if !sigs[i].IsZero() && !nonces[i].IsZero() {
			w.sig = &sigs[i].s
			s.sides(&w.left, &w.right, i, w.sig, &nonces[i].n)
		}
		if w.sig == nil || !w.left.Equal(&w.right).Bool() {
			bad = append(bad, w)
		}
	}
	return bad
}

// allValid reports whether all signers in [from, to) have valid partial signatures. For random
// weights w it computes
//
//	Σ w·s·G − Σ w·c·P − Σ ±w·(R1 + b·R2)
//
// which is infinity if all equations hold (see musig.Session.Holds). A weight is u + v·λ with
// random numbers u and v of 64 bits: then the term of R1 is short.
func (s *Session) allValid(sigs []*PartialSignature, nonces []*PublicNonce, from, to int) bool {
	n := to - from
	random := make([]byte, 16*n)
	rand.Read(random)
	var terms sums.Sum
	terms.Reset(2*n+1, n)
	var lambda, base scalar.Scalar
	lambda.SetLimbs(&[4]uint64{scalar.Lambda0, scalar.Lambda1, scalar.Lambda2, scalar.Lambda3})
	odd := s.values.R.Y.IsOdd()
	for j := range n {
		i := from + j
		if sigs[i].IsZero() || nonces[i].IsZero() {
			return false
		}
		u := signed(binary.LittleEndian.Uint64(random[16*j:]), odd.Not())
		v := signed(binary.LittleEndian.Uint64(random[16*j+8:]), odd.Not())
		var w, minus, k scalar.Scalar // the weight, and −w or w as the sign of R1 requires
		minus.SetHalf(&v)
		minus.Mul(&minus, &lambda)
		minus.Add(&minus, k.SetHalf(&u))
		w.CondNeg(&minus, odd.Not())
		base.Add(&base, k.Mul(&w, &sigs[i].s))
		s.values.Factor(&k, &s.key.signers.coefficients[i])
		k.Mul(&k, &w)
		terms.SetFull(2*j, k.Neg(&k), &s.key.signers.points[i])
		terms.SetFull(2*j+1, k.Mul(&minus, &s.values.B), &nonces[i].n[1])
		terms.SetShort(j, &u, &v, &nonces[i].n[0])
	}
	var g point.Affine
	terms.SetFull(2*n, &base, g.SetGenerator())
	// IsZero fails only if the context ends, and this context never ends.
	zero, _ := terms.IsZero(context.Background(), forkjoin.New(1))
	return zero
}

// signed returns x, or −x if negate is 1.
func signed(x uint64, negate ct.Choice) scalar.Half {
	if x == 0 {
		negate = 0 // a Half is never a negated 0
	}
	return scalar.Half{Lo: x, Neg: negate}
}
