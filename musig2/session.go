//ct:public takes aggregate keys and nonces, messages and partial signatures

package musig2

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Session is the signing of one message by all signers: an aggregate key, an aggregate nonce and
// a message. It is public and does not change. Several goroutines may use it at the same time. The
// zero value is no session.
type Session struct {
	_      [0]func() // forbids comparison with ==
	key    *AggregateKey
	n      musig.Nonce // the aggregate nonce
	values musig.Session
}

var errNoSession = errors.New("musig2: the session is nil or a zero value")

// NewSession returns the session for a message of any length. The signature verifies under
// key.XOnlyPublicKey. The time depends on the arguments.
//
// There is an error if key or nonce is nil or a zero value.
func NewSession(key *AggregateKey, nonce *AggregateNonce, msg []byte) (*Session, error) {
	if key.IsZero() {
		return nil, errNoKey
	}
	if nonce.IsZero() {
		return nil, errors.New("musig2: the aggregate nonce is nil or a zero value")
	}
	// A copy, because newSession reads it twice. It is on the stack, unless msg is longer.
	msg = append(make([]byte, 0, 256), msg...)
	return newSession(key, &nonce.n, msg), nil
}

// newSession does the work of NewSession. The message must not change during the call.
func newSession(key *AggregateKey, nonce *musig.Nonce, msg []byte) *Session {
	s := &Session{key: key, n: *nonce}
	encoded := s.n.Bytes() // of the copy: b is the hash of the nonce that it multiplies
	s.values.Set(&key.key, &s.n, &encoded, msg)
	return s
}

// IsZero reports whether s is no session: it is nil or a zero value.
func (s *Session) IsZero() bool { return s == nil || s.key == nil }

// Aggregate returns the 64-byte signature of BIP-340 that the partial signatures of all signers
// make (PartialSigAgg). Their order does not matter. Aggregate verifies the signature before it
// returns it.
//
// There is an error if the number of partial signatures is not that of the signers, or if one is
// nil or a zero value; then the error has its index. There is an error if the signature does not
// verify: [Session.VerifyAll] finds the signers whose partial signatures are not valid. It needs
// them in the order of the keys.
func (s *Session) Aggregate(sigs ...*PartialSignature) ([]byte, error) {
	if s.IsZero() {
		return nil, errNoSession
	}
	if len(sigs) != s.key.Signers() {
		return nil, fmt.Errorf("musig2: %d partial signatures of %d signers", len(sigs),
			s.key.Signers())
	}
	var sum scalar.Scalar
	for i, sig := range sigs {
		if sig.IsZero() {
			return nil, fmt.Errorf("musig2: partial signature %d: nil or a zero value", i)
		}
		sum.Add(&sum, &sig.s)
	}
	v := &s.values
	v.AddTweak(&sum)
	// The signature holds if s·G = ±R + e·g·Q.
	var e scalar.Scalar
	e.CondNeg(&v.E, s.key.key.Q.Y.IsOdd())
	var r point.Jacobian
	r.SetAffine(&v.R)
	if !v.Holds(&sum, &e, &s.key.key.Q, &r) {
		return nil, errors.New("musig2: the partial signatures make no valid signature")
	}
	signature := make([]byte, 64)
	v.R.X.PutBytes((*[32]byte)(signature[:32]))
	sum.PutBytes((*[32]byte)(signature[32:]))
	return signature, nil
}
