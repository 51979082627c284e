package frost

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// GenerateNonceRFC9591 returns a fresh secret nonce for a session of RFC 9591 (section 4.1). It is
// derived from 64 random bytes and the secret share. The time does not depend on the share. The
// rules of GenerateNonce for the use of nonces apply to this nonce too.
func GenerateNonceRFC9591(share *koblitz.PrivateKey) (*SecretNonce, error) {
	var random [2][32]byte
	rand.Read(random[0][:])
	rand.Read(random[1][:])
	return generateNonceRFC9591(&random, share)
}

// generateNonceRFC9591 does the work of GenerateNonceRFC9591 with given randomness, and overwrites
// the randomness.
func generateNonceRFC9591(random *[2][32]byte, share *koblitz.PrivateKey) (*SecretNonce, error) {
	defer clear(random[:])
	secret := share.Bytes()
	defer clear(secret)
	if secret == nil {
		return nil, fmt.Errorf("frost: nonce: secret share: %w", koblitz.ErrZeroKey)
	}
	k := new(noncePair)
	for i := range k {
		s := hashToScalar("nonce", random[i][:], secret)
		k[i].Set(s)
		s.Zeroize()
	}
	return newSecretNonce(k)
}

// NewSessionRFC9591 returns the session in which signers sign a message by the ciphersuite
// FROST(secp256k1, SHA-256) of RFC 9591. Participant id has the identifier id + 1 of the RFC. The
// nonce of the signer at position i of NewSigners is nonces[i]. The coordinator sends the nonces of
// all signers to every signer.
//
// The signature has 65 bytes, the nonce point R and s. It is not a signature of BIP-340, and there
// are no tweaks. A key must not be used in sessions of both kinds: there is no proof for such use.
//
// There is an error if signers is a zero value, if there is not one nonce for each signer, or if a
// nonce is nil or a zero value. The time depends on all arguments.
func NewSessionRFC9591(
	signers *Signers, nonces []*PublicNonce, message []byte,
) (*Session, error) {
	if signers == nil || len(signers.ids) == 0 {
		return nil, errNoSigners
	}
	nonces, message = slices.Clone(nonces), slices.Clone(message)
	if len(nonces) != len(signers.ids) {
		return nil, fmt.Errorf("frost: %d nonces for %d signers", len(nonces), len(signers.ids))
	}
	for i, n := range nonces {
		if n.isZero() {
			return nil, fmt.Errorf("frost: public nonce %d: nil or a zero value", i)
		}
	}
	key := signers.key.Bytes()
	messageHash := sha256.Sum256(append([]byte(contextString+"msg"), message...))
	listHash := sha256.Sum256(append([]byte(contextString+"com"), signers.encode(nonces)...))
	s := &Session{
		signers: signers, key: &tweaked{key: signers.key}, message: message,
		nonces: nonces, binding: make([]group.Scalar, len(nonces)),
	}
	var r, term group.Point
	for i, n := range nonces {
		s.binding[i].Set(hashToScalar("rho", key, messageHash[:], listHash[:],
			abscissa(signers.ids[i]).Bytes()))
		term.ScalarMultVartime(&s.binding[i], &n.points[1])
		r.Add(r.Add(&r, &n.points[0]), &term)
	}
	var err error
	if s.r, err = r.PublicKey(); err != nil {
		return nil, errors.New("frost: the nonces add up to the identity")
	}
	s.challenge.Set(hashToScalar("chal", s.r.Bytes(), key, message))
	return s, nil
}

// encode returns the encoding of the nonces with their identifiers, in the order of the identifiers
// (encode_group_commitment_list of RFC 9591, section 4.3).
func (s *Signers) encode(nonces []*PublicNonce) (list []byte) {
	order := make([]int, len(nonces))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(s.ids[i], s.ids[j]) })
	for _, i := range order {
		list = append(abscissa(s.ids[i]).AppendBytes(list), nonces[i].Bytes()...)
	}
	return list
}

// VerifyRFC9591 reports whether signature, 65 bytes, is valid for the message under the key by the
// ciphersuite FROST(secp256k1, SHA-256): s·G = R + c·key. It returns false for arguments that are
// not well-formed. The time depends on all arguments.
func VerifyRFC9591(key *koblitz.PublicKey, message, signature []byte) bool {
	if len(signature) != group.PointSize+group.ScalarSize {
		return false
	}
	var r, p, left group.Point
	var s group.Scalar
	if parsePoint(&r, signature[:group.PointSize]) != nil {
		return false
	}
	if _, err := s.SetBytes(signature[group.PointSize:]); err != nil {
		return false
	}
	if _, err := p.SetPublicKey(key); err != nil {
		return false
	}
	// The challenge is that of the point that was parsed, even if the caller's bytes have changed.
	e := hashToScalar("chal", r.Bytes(), p.Bytes(), message)
	r.Add(&r, p.ScalarMultVartime(e, &p))
	return left.ScalarBaseMultVartime(&s).Equal(&r)
}
