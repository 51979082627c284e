package frost

import (
	"encoding/binary"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// SignDeterministically signs without a stored nonce, for the one signer who gets the aggregate of
// all other signers' nonces before it sends its own (DeterministicSign of BIP-445). It derives the
// nonce from the arguments, and returns the public nonce and the partial signature. others is nil
// if and only if the signer is the only one. random is nil, or 32 bytes; fresh ones protect against
// side channels. The time depends neither on the share nor on random.
//
// At most one signer of a session may sign in this way. The threshold public key and the public
// shares in signers must be those of the key generation, and not come from the coordinator. The
// nonce depends only on the x coordinate of the tweaked key. With the negated threshold public key,
// and public shares to match, a second partial signature by the same nonce reveals the share,
// unless random is fresh.
//
// Two signatures by one nonce reveal the share, so a fault in any value between the nonce and the
// partial signature is dangerous. SignDeterministically computes the nonce and the session a second
// time from the arguments, and verifies the partial signature with them. There is an error if an
// argument has changed or a fault happened. A bit of signers or others that flips before the call
// changes nothing, or gives an error or another nonce.
//
// Errors are those of NewSession and Session.Sign, and there is an error if a point of others is
// the identity or if random has another length.
func SignDeterministically(
	signers *Signers, others *AggregateNonce, tweaks []Tweak, message []byte,
	id uint32, share *koblitz.PrivateKey, random []byte,
) (*PublicNonce, []byte, error) {
	d, err := newDeterministic(signers, others, tweaks, message, id, share, random)
	if err != nil {
		return nil, nil, err
	}
	defer d.nonce.Zeroize()
	session, err := d.session()
	if err != nil {
		return nil, nil, err
	}
	z, err := session.sum(d.nonce, d.index, share)
	if err != nil {
		return nil, nil, err
	}
	defer z.Zeroize()
	again, err := newDeterministic(signers, others, tweaks, message, id, share, random)
	if err != nil {
		return nil, nil, err
	}
	defer again.nonce.Zeroize()
	if !again.confirms(d.nonce.public, z) {
		return nil, nil, errFault
	}
	return d.nonce.public, z.Bytes(), nil
}

// A deterministic holds copies of the arguments of SignDeterministically, and the nonce that they
// determine. The nonce and the session come from the same copies: one nonce in two sessions would
// reveal the share.
type deterministic struct {
	signers *Signers
	index   int // of the signer
	sum     *AggregateNonce
	key     *tweaked
	message []byte
	nonce   *SecretNonce
}

func newDeterministic(
	signers *Signers, others *AggregateNonce, tweaks []Tweak, message []byte,
	id uint32, share *koblitz.PrivateKey, random []byte,
) (*deterministic, error) {
	if signers == nil || len(signers.ids) == 0 {
		return nil, errNoSigners
	}
	d := &deterministic{signers: signers, sum: &AggregateNonce{set: true}}
	var err error
	if d.index, err = signers.index(id, share); err != nil {
		return nil, err
	}
	if (others == nil) != (len(signers.ids) == 1) {
		return nil, fmt.Errorf(
			"frost: aggregate of the other nonces: %d signers, want nil if and only if there is one",
			len(signers.ids))
	}
	if others, err = others.onCurve(); err != nil {
		return nil, fmt.Errorf("frost: aggregate of the other nonces: %w", err)
	}
	key, err := onCurve(signers.key)
	if err != nil {
		return nil, fmt.Errorf("frost: threshold public key: %w", err)
	}
	if d.key, err = newTweaked(key, tweaks); err != nil {
		return nil, err
	}
	var secret [32]byte
	defer clear(secret[:])
	if err := deterministicSecret(&secret, share, random); err != nil {
		return nil, err
	}
	input := binary.BigEndian.AppendUint32(nil, id)
	input = binary.BigEndian.AppendUint32(input, uint32(len(signers.ids)))
	input = append(append(input, signers.serialized()...), others.Bytes()...)
	input = append(input, d.key.key.XOnlyPublicKey().Bytes()...)
	input = binary.BigEndian.AppendUint64(input, uint64(len(message)))
	input = append(input, message...)
	d.message = input[len(input)-len(message):]
	d.nonce, err = newSecretNonce(hashNonce("BIP0445/deterministic/nonce", &secret, input))
	if err != nil {
		return nil, err
	}
	d.sum.points = d.nonce.public.points
	if others != nil {
		for j := range d.sum.points {
			d.sum.points[j].Add(&d.sum.points[j], &others.points[j])
		}
	}
	return d, nil
}

// onCurve returns a copy of n. It returns an error if a point is the identity, or if a fault has
// moved a point off the curve. The hash for the nonce contains only the lowest bit of each y
// coordinate, while the session depends on the whole coordinate. So after a fault, one nonce could
// sign in two sessions.
func (n *AggregateNonce) onCurve() (*AggregateNonce, error) {
	if n == nil {
		return nil, nil
	}
	own := &AggregateNonce{set: true}
	for j := range n.points {
		key, err := n.points[j].PublicKey()
		if err != nil {
			return nil, err
		}
		if key, err = onCurve(key); err != nil {
			return nil, err
		}
		own.points[j].SetPublicKey(key) // the only error is for a key of no point
	}
	return own, nil
}

// onCurve returns a copy of key, or an error if a fault has moved it off the curve.
func onCurve(key *koblitz.PublicKey) (*koblitz.PublicKey, error) {
	return koblitz.ParsePublicKey(key.UncompressedBytes())
}

func (d *deterministic) session() (*Session, error) {
	return newSession(d.signers, d.sum, d.key, d.message)
}

// confirms reports whether z is the partial signature by the nonce in d's session. It also computes
// the Lagrange coefficient again, because all sessions of the signers share it.
func (d *deterministic) confirms(nonce *PublicNonce, z *group.Scalar) bool {
	session, err := d.session()
	return err == nil && d.nonce.public.equal(nonce) &&
		d.signers.coefficient(d.index).Equal(d.signers.lambda[d.index]) &&
		session.isValid(z, d.index, d.nonce.public)
}

// deterministicSecret sets secret to the share, masked by random if that is not nil.
func deterministicSecret(secret *[32]byte, share *koblitz.PrivateKey, random []byte) error {
	if random == nil {
		b := share.Bytes()
		if len(b) == 0 {
			return fmt.Errorf("frost: secret share: %w", koblitz.ErrZeroKey)
		}
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
