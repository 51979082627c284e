//ct:public verifies proofs, which are public

package dleq

import (
	"context"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/sums"
)

// ErrProof is the error of Verify for a proof that has the right form and is not a proof of the
// statement.
var ErrProof = errors.New("dleq: the proof does not prove the statement")

// Verify returns nil if proof proves the statement s (VerifyProof of BIP-374), and an error
// otherwise. The error is [ErrProof] if s and proof have the right form. Other errors name what has
// a wrong form: a point that holds no key, a message that is neither empty nor 32 bytes long, a
// proof that is not 64 bytes long, or a response that is not below the group order n. The time
// depends on all arguments.
func Verify(s *Statement, proof []byte) error {
	if s == nil {
		return errors.New("dleq: no statement")
	}
	// Read the fields once: with two reads of G, a writer of *s could prove a false statement.
	own := *s
	s = &own
	if err := checkMessage(s.Message); err != nil {
		return err
	}
	var a, b, c, g point.Affine
	if err := generator(&g, s.G); err != nil {
		return err
	}
	if err := affine(&a, "A", s.A); err != nil {
		return err
	}
	if err := affine(&b, "B", s.B); err != nil {
		return err
	}
	if err := affine(&c, "C", s.C); err != nil {
		return err
	}
	if len(proof) != ProofSize {
		return fmt.Errorf("dleq: proof: %d bytes, want 64", len(proof))
	}
	// Read e once: with two reads, a writer of the proof's memory could prove a false statement.
	hashed := [32]byte(proof)
	var e, response scalar.Scalar
	if !response.SetBytes((*[32]byte)(proof[32:])).Bool() {
		return errors.New("dleq: proof: s (bytes 32 to 63) is not below the group order n")
	}
	e.SetBytes(&hashed) // BIP-374 does not limit e: it is compared with a hash below
	e.Neg(&e)

	// R1 = s·G − e·A and R2 = s·B − e·C
	var r [2]point.Jacobian
	if s.G == nil {
		vartime.DoubleScalarMult(&r[0], &response, &e, &a)
	} else {
		sum(&r[0], &response, &e, &g, &a)
	}
	sum(&r[1], &response, &e, &b, &c)
	if r[0].IsInfinity().Bool() || r[1].IsInfinity().Bool() {
		return ErrProof
	}
	var R [2]point.Affine
	point.BatchToAffineVartime(R[:], r[:])
	var want [32]byte
	challenge(&want, &a, &b, &c, &g, &R[0], &R[1], s.Message)
	if want != hashed {
		return ErrProof
	}
	return nil
}

// sum sets r = k·p + l·q. The time depends on them.
func sum(r *point.Jacobian, k, l *scalar.Scalar, p, q *point.Affine) {
	var s sums.Sum
	s.Reset(2, 0)
	s.SetFull(0, k, p)
	s.SetFull(1, l, q)
	s.Result(context.Background(), r, nil) // there is no error, because the context never ends
}
