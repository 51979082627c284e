package frost

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz"
)

// SignDeterministically signs without a stored nonce, for the one signer who gets the aggregate of
// all other signers' nonces before it sends its own (DeterministicSign of BIP-445). It derives the
// nonce from the arguments, and returns the public nonce and the partial signature. others is nil
// if the signer is the only one. random is nil, or 32 bytes; fresh ones protect against faults and
// side channels. The time depends neither on the share nor on random.
//
// At most one signer of a session may sign in this way. The threshold public key and the public
// shares in signers must be those of the key generation, and not come from the coordinator. The
// nonce depends only on the x coordinate of the tweaked key. With the negated threshold public key,
// and public shares to match, a second partial signature by the same nonce reveals the share,
// unless random is fresh.
//
// Errors are those of NewSession and Session.Sign, and there is an error if a point of others is
// the identity or if random has another length.
func SignDeterministically(
	signers *Signers, others *AggregateNonce, tweaks []Tweak, message []byte,
	id uint32, share *koblitz.PrivateKey, random []byte,
) (*PublicNonce, []byte, error) {
	if signers == nil || len(signers.ids) == 0 {
		return nil, nil, errNoSigners
	}
	if others != nil && (others.points[0].IsIdentity() || others.points[1].IsIdentity()) {
		return nil, nil, errors.New("frost: aggregate of the other nonces: the identity")
	}
	key, err := Tweaked(signers.key, tweaks)
	if err != nil {
		return nil, nil, err
	}
	var secret [32]byte
	defer clear(secret[:])
	if err := deterministicSecret(&secret, share, random); err != nil {
		return nil, nil, err
	}
	input := binary.BigEndian.AppendUint32(nil, id)
	input = binary.BigEndian.AppendUint32(input, uint32(len(signers.ids)))
	input = append(append(input, signers.serialized()...), others.Bytes()...)
	input = append(input, key.XOnlyPublicKey().Bytes()...)
	input = binary.BigEndian.AppendUint64(input, uint64(len(message)))
	input = append(input, message...)
	nonce, err := newSecretNonce(hashNonce("BIP0445/deterministic/nonce", &secret, input))
	if err != nil {
		return nil, nil, err
	}
	defer nonce.Zeroize()
	sum := &AggregateNonce{points: nonce.public.points, set: true}
	if others != nil {
		for j := range sum.points {
			sum.points[j].Add(&sum.points[j], &others.points[j])
		}
	}
	session, err := NewSession(signers, sum, tweaks, message)
	if err != nil {
		return nil, nil, err
	}
	partial, err := session.Sign(nonce, id, share)
	if err != nil {
		return nil, nil, err
	}
	return nonce.public, partial, nil
}

// deterministicSecret sets secret to the share, masked by random if that is not nil.
func deterministicSecret(secret *[32]byte, share *koblitz.PrivateKey, random []byte) error {
	if share.IsZero() {
		return fmt.Errorf("frost: secret share: %w", koblitz.ErrZeroKey)
	}
	if random == nil {
		b := share.Bytes()
		copy(secret[:], b)
		clear(b)
		return nil
	}
	if len(random) != len(secret) {
		return fmt.Errorf("frost: random: %d bytes, want 32", len(random))
	}
	copy(secret[:], random)
	return mask(secret, share)
}
