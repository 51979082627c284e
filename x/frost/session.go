package frost

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

// A Tweak is a number t: signing under a tweaked key adds t·G to the threshold public key.
type Tweak struct {
	Value []byte // 32 bytes, big-endian, below n
	// XOnly says that the tweak is added to the point with an even y coordinate, as BIP-341 does.
	// Otherwise it is added to the key as it is, as BIP-32 does.
	XOnly bool
}

// Tweaked returns the threshold public key with tweaks, applied in their order. Signers must take
// tweaks only from a specification that derives them from a hash of the key, such as BIP-32 and
// BIP-341: there is no proof that FROST is secure if an attacker chooses them freely.
//
// If a tweak has a wrong length or is not below n, or if the result is infinity, Tweaked returns an
// error that names the tweak. It also returns an error if key is nil or a zero value.
func Tweaked(key *koblitz.PublicKey, tweaks []Tweak) (*koblitz.PublicKey, error) {
	t, err := newTweaked(key, tweaks)
	if err != nil {
		return nil, err
	}
	return t.key, nil
}

// A tweaked key is the sum ±K + t·G of the threshold public key K and the tweaks so far (the Tweak
// Context of BIP-445).
type tweaked struct {
	key     *koblitz.PublicKey
	negated bool         // K has the sign −
	t       group.Scalar // sum of the tweaks, negated where the key was
}

func newTweaked(key *koblitz.PublicKey, tweaks []Tweak) (*tweaked, error) {
	if key.IsZero() {
		return nil, fmt.Errorf("frost: threshold public key: %w", koblitz.ErrZeroKey)
	}
	own := *key
	result := &tweaked{key: &own}
	for i, tweak := range tweaks {
		var t group.Scalar
		if _, err := t.SetBytes(tweak.Value); err != nil {
			return nil, fmt.Errorf("frost: tweak %d: %w", i, err)
		}
		if tweak.XOnly {
			result.makeEven()
		}
		sum, err := result.key.TweakAdd(t.Bytes()) // the caller's bytes may have changed
		if err != nil {
			return nil, fmt.Errorf("frost: tweak %d: %w", i, err)
		}
		result.key = sum
		result.t.Add(&result.t, &t)
	}
	return result, nil
}

// makeEven negates the sum if its y coordinate is odd.
func (t *tweaked) makeEven() {
	if !t.key.HasEvenY() {
		t.key = t.key.Negate()
		t.negated = !t.negated
		t.t.Negate(&t.t)
	}
}

// A Session is the state that the signers of one message share (the Session Context of BIP-445). It
// holds no secret, and goroutines may use it at the same time. The zero value is no session, and
// its methods return errors.
type Session struct {
	signers *Signers
	key     *tweaked
	message []byte
	nonce   *AggregateNonce // nil in a session of RFC 9591
	nonces  []*PublicNonce  // by signer, in a session of RFC 9591

	// A signer adds to the signature s = ±(k₁ + b·k₂) + e·λ·(±d), with its nonce k₁ and k₂, its
	// secret share d and its Lagrange coefficient λ.
	binding      []group.Scalar // by signer, b
	r            *koblitz.PublicKey
	negateNonces bool         // the sign of the nonces is −, because R had an odd y coordinate
	challenge    group.Scalar // e
}

var errNoSession = errors.New("frost: session: nil or a zero value")

// NewSession returns the session in which signers sign a message of any length, under their
// threshold public key with the tweaks. The aggregate nonce is that of the coordinator. The time
// depends on all arguments.
//
// All signers must check the message and the tweaks before they sign: the coordinator is not
// trusted.
func NewSession(
	signers *Signers, nonce *AggregateNonce, tweaks []Tweak, message []byte,
) (*Session, error) {
	if signers == nil || len(signers.ids) == 0 {
		return nil, errNoSigners
	}
	if nonce == nil || !nonce.set {
		return nil, errors.New("frost: aggregate nonce: nil or a zero value")
	}
	key, err := newTweaked(signers.key, tweaks)
	if err != nil {
		return nil, err
	}
	own := *nonce // b is the hash of the nonce that it multiplies
	return newSession(signers, &own, key, slices.Clone(message))
}

// newSession does the work of NewSession with a nonce, a key and a message that it keeps.
func newSession(
	signers *Signers, nonce *AggregateNonce, key *tweaked, message []byte,
) (*Session, error) {
	key.makeEven()
	x := key.key.XOnlyPublicKey().Bytes()
	s := &Session{signers: signers, key: key, nonce: nonce, message: message}
	var b group.Scalar
	ids := signers.serialized()
	// In the text of the draft, size is the number of signers. In its reference code and vectors,
	// it is the number of bytes in ids.
	size := binary.BigEndian.AppendUint32(nil, uint32(len(ids)))
	digest := schnorr.TaggedHash("BIP0445/noncecoef", size, ids, nonce.Bytes(), x, message)
	modn.Reduce(&b, &digest)
	s.binding = make([]group.Scalar, len(signers.ids))
	for i := range s.binding {
		s.binding[i].Set(&b)
	}
	var r group.Point
	r.ScalarMultVartime(&b, &nonce.points[1])
	r.Add(&r, &nonce.points[0])
	if r.IsIdentity() {
		// The sum of the nonces is wrong. G in its place lets signing continue, so that the partial
		// signatures show whose nonce is wrong.
		r.SetGenerator()
	}
	var err error
	if s.r, err = r.PublicKey(); err != nil {
		return nil, err
	}
	s.negateNonces = !s.r.HasEvenY()
	digest = schnorr.TaggedHash("BIP0340/challenge", s.r.XOnlyPublicKey().Bytes(), x, message)
	modn.Reduce(&s.challenge, &digest)
	return s, nil
}

func (s *Session) isZero() bool { return s == nil || s.signers == nil }

// PublicKey returns the key under which the signature verifies: the threshold public key with the
// tweaks, and for BIP-340 with an even y coordinate. It returns nil if s is nil or a zero value.
func (s *Session) PublicKey() *koblitz.PublicKey {
	if s.isZero() {
		return nil
	}
	key := *s.key.key
	return &key
}

// Sign returns the partial signature of participant id, 32 bytes, with its secret share, and
// consumes the nonce (Sign of BIP-445). The time does not depend on the nonce and the share.
//
// Sign verifies the partial signature before it returns it, against the values that the session
// holds. So there is an error if the nonce, the share or their sum is faulty. A fault in the
// session itself, such as a bit of the challenge that flips, is not noticed. It gives a partial
// signature that is not valid, which says nothing about the share because its nonce is gone.
//
// Sign returns an error and leaves the nonce as it is if the session is a zero value, if id is not
// among the signers, or if the share is not that of the signer's public share. It returns an error
// if the nonce was used before.
func (s *Session) Sign(nonce *SecretNonce, id uint32, share *koblitz.PrivateKey) ([]byte, error) {
	if s.isZero() {
		return nil, errNoSession
	}
	i, err := s.signers.index(id, share)
	if err != nil {
		return nil, err
	}
	if s.nonces != nil && !nonce.Public().equal(s.nonces[i]) {
		return nil, fmt.Errorf("frost: secret nonce: not participant %d's nonce in the session", id)
	}
	z, err := s.sum(nonce, i, share)
	if err != nil {
		return nil, err
	}
	defer z.Zeroize()
	if !s.isValid(z, i, nonce.public) {
		return nil, errFault
	}
	return z.Bytes(), nil
}

var errFault = errors.New("frost: the new partial signature is not valid: a fault happened")

// sum returns the partial signature of signer i, and consumes the nonce. The caller verifies it,
// because a faulty one could reveal the share, and zeroizes it.
func (s *Session) sum(
	nonce *SecretNonce, i int, share *koblitz.PrivateKey,
) (*group.Scalar, error) {
	k, err := nonce.take()
	if err != nil {
		return nil, err
	}
	defer k.zeroize()
	var d group.Scalar
	defer d.Zeroize()
	if _, err := d.SetPrivateKey(share); err != nil {
		return nil, err
	}
	z := new(group.Scalar)
	z.Add(&k[0], z.Mul(&s.binding[i], &k[1]))
	if s.negateNonces {
		z.Negate(z)
	}
	return z.Add(z, d.Mul(&d, s.factor(i))), nil
}

// isValid reports whether z is the partial signature of signer i. The time does not depend on z: it
// could, as in the core (docs/constant-time.md), but ctcheck takes z as secret until then.
func (s *Session) isValid(z *group.Scalar, i int, nonce *PublicNonce) bool {
	var left group.Point
	return left.ScalarBaseMult(z).Equal(s.partial(i, nonce))
}

// factor returns ±e·λ, the factor of signer i's secret share.
func (s *Session) factor(i int) *group.Scalar {
	f := new(group.Scalar).Mul(&s.challenge, s.signers.lambda[i])
	if s.key.negated {
		f.Negate(f)
	}
	return f
}

// partial returns the product of signer i's valid partial signature and G: ±(R₁ + b·R₂) ± e·λ·P.
func (s *Session) partial(i int, nonce *PublicNonce) *group.Point {
	var r, p group.Point
	r.ScalarMultVartime(&s.binding[i], &nonce.points[1])
	r.Add(&r, &nonce.points[0])
	if s.negateNonces {
		r.Negate(&r)
	}
	p.ScalarMultVartime(s.factor(i), &s.signers.shares[i])
	return r.Add(&r, &p)
}
