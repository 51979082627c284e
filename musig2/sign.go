package musig2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

var (
	errOtherKey  = errors.New("musig2: the secret nonce was made for another key")
	errNotSigner = errors.New("musig2: the key is not among the keys of the signers")
	errFault     = errors.New(
		"musig2: the partial signature that was made does not verify: a fault in the computation")
)

// Sign returns the partial signature of the signer with the given key and secret nonce (Sign). It
// verifies the partial signature before it returns it. The time does not depend on key or nonce.
//
// The verification detects faults of the machine in the key, in the nonce and in the computation.
// It uses the same session and aggregate key: a fault in them may give an invalid partial
// signature, which reveals nothing about the key because the nonce signs once.
//
// Sign overwrites the nonce. If several goroutines sign with one nonce, one of them gets a partial
// signature, and the others get [ErrNonceUsed]. The other errors leave the nonce unused, except the
// last: if s is a zero value, if the key is nil, a zero value or zeroized, if the nonce was made
// for another key, if the key is not among those of the signers, and if the partial signature does
// not verify, which shows a fault of the machine.
func (s *Session) Sign(nonce *SecretNonce, key *koblitz.PrivateKey) (*PartialSignature, error) {
	//ct:secret !key.IsZero() && key.Bytes()[31]&1 == 1
	if s.IsZero() {
		return nil, errNoSession
	}
	private := (*keys.Private)(key)
	public := private.Public()
	if public == nil {
		return nil, koblitz.ErrZeroKey
	}
	state := nonce.state()
	if state == nil {
		return nil, ErrNonceUsed
	}
	if !public.Affine().Equal(&state.signer).Bool() {
		return nil, errOtherKey
	}
	i := s.key.signers.index(public.Affine())
	if i < 0 {
		return nil, errNotSigner
	}
	var c scalar.Scalar
	s.values.Factor(&c, &s.key.signers.coefficients[i])
	sig := &PartialSignature{valid: true}
	if err := s.sign(&sig.s, state, private, &c); err != nil {
		return nil, err
	}
	if !s.verify(i, &sig.s, &state.public) { //ct:unrun no case makes a fault
		sig.s.Wipe()
		return nil, errFault
	}
	return sig, nil
}

// sign sets sig to the partial signature that the key and the nonce make, and overwrites the nonce.
// c is the factor of the key. sign does not verify the partial signature.
func (s *Session) sign(
	sig *scalar.Scalar, nonce *nonceState, key *keys.Private, c *scalar.Scalar,
) error {
	err := ErrNonceUsed
	secret.Do(func() {
		var k musig.SecretPair
		var d scalar.Scalar
		switch {
		case !key.Load(&d): //ct:unrun when another goroutine wipes the key meanwhile
			err = koblitz.ErrZeroKey
		case nonce.take(&k):
			//ct:secret k[0].IsHigh().Bool() && d.IsHigh().Bool()
			s.values.Sign(sig, &k, &d, c)
			err = nil
		}
		k.Wipe()
		d.Wipe()
	})
	return err
}

// DeterministicSign returns a public nonce and a partial signature that depend only on the
// arguments (DeterministicSign). It is for a signer that cannot keep a secret nonce between the
// rounds, and that is the last to publish its nonce: others is the sum of the public nonces of all
// other signers, from [AggregateNonces]. At most one signer may sign like this. random is nil, or
// 32 random bytes, which protect against faults and side channels. The time does not depend on the
// key or on random.
//
// With the same nonce, a right and a faulty partial signature together can give away the key. So
// DeterministicSign computes everything twice from its arguments, also the aggregate key from the
// keys of all signers, and returns a partial signature only if both results are the same.
//
// There is an error if random has another length, if a point of others is infinity, and in the
// cases of [NewSession] and [Session.Sign].
func DeterministicSign(
	key *koblitz.PrivateKey, aggregate *AggregateKey, others *AggregateNonce, msg, random []byte,
) (*PublicNonce, *PartialSignature, error) {
	//ct:secret !key.IsZero() && key.Bytes()[31]&1 == 1
	private := (*keys.Private)(key)
	public := private.Public()
	// Copies: the nonce and the sessions must be of the same key and nonces.
	if aggregate != nil {
		own := *aggregate
		aggregate = &own
	}
	if others != nil {
		own := *others
		others = &own
	}
	switch {
	case public == nil:
		return nil, nil, koblitz.ErrZeroKey
	case aggregate.IsZero():
		return nil, nil, errNoKey
	case others.IsZero():
		return nil, nil, errors.New("musig2: the other signers' nonce is nil or a zero value")
	case random != nil && len(random) != 32:
		return nil, nil, fmt.Errorf("musig2: random bytes: %d bytes, want 32, or nil", len(random))
	}
	for i := range others.n {
		if others.n[i] == (point.Affine{}) {
			return nil, nil, fmt.Errorf("musig2: point %d of the other signers' nonce is infinity", i+1)
		}
	}
	d := deterministic{private, aggregate, others, slices.Clone(msg), random}
	nonce, err := newNonce(private, public.Affine(), d.derive)
	if err != nil { //ct:unrun when another goroutine wipes the key meanwhile
		return nil, nil, err
	}
	defer nonce.Zeroize()
	own := nonce.PublicNonce()
	sig, err := d.session(own).Sign(nonce, key)
	if err != nil {
		return nil, nil, err
	}
	if !d.check(nonce, own, sig) { //ct:unrun no case makes a fault
		sig.s.Wipe()
		return nil, nil, errFault
	}
	return own, sig, nil
}

// A deterministic holds the arguments of DeterministicSign, which were checked.
type deterministic struct {
	key       *keys.Private
	aggregate *AggregateKey
	others    *AggregateNonce
	msg       []byte // a copy: the nonce and both sessions must be of the same message
	random    []byte // or nil
}

// session returns the session with the public nonce own.
func (d *deterministic) session(own *PublicNonce) *Session {
	sum := new(musig.Nonce)
	sum.Aggregate(2, func(i int) *musig.Nonce { return []*musig.Nonce{&own.n, &d.others.n}[i] })
	return newSession(d.aggregate, sum, d.msg)
}

// check computes the partial signature again from the arguments, and reports whether it is sig, and
// whether own is the public nonce.
func (d *deterministic) check(
	nonce *SecretNonce, own *PublicNonce, sig *PartialSignature,
) (same bool) {
	// Another y coordinate with the same parity affects only the session, and not the secret nonce.
	n := &d.others.n
	i := d.aggregate.signers.index(d.key.Public().Affine())
	good := i >= 0 && d.aggregate.isUnchanged() && (n[0].IsOnCurve() & n[1].IsOnCurve()).Bool() &&
		own.Equal(nonce.PublicNonce())
	if !good { //ct:unrun no case makes a fault
		return false
	}
	s := d.session(own)
	var c scalar.Scalar
	s.values.Factor(&c, &d.aggregate.signers.coefficients[i])
	secret.DoDeep(func() {
		var k musig.SecretPair
		var x, again scalar.Scalar
		if d.key.Load(&x) {
			d.derive(&k, &x)
			s.values.Sign(&again, &k, &x, &c)
			same = again.Equal(&sig.s).Reveal()
		}
		k.Wipe()
		x.Wipe()
		again.Wipe()
	})
	return same
}

// derive sets k to the secret nonce for the private key x. It leaves secrets on the stack.
func (d *deterministic) derive(k *musig.SecretPair, x *scalar.Scalar) {
	//ct:secret x.IsHigh().Bool()
	var seed, q [32]byte
	if d.random != nil {
		copy(seed[:], d.random)
		musig.MaskKey(&seed, x)
	} else {
		x.PutBytes(&seed)
	}
	d.aggregate.key.Q.X.PutBytes(&q)
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(d.msg)))
	k.Hash("MuSig/deterministic/nonce", seed[:], d.others.Bytes(), q[:], length[:], d.msg)
	ct.Wipe(seed[:])
}
