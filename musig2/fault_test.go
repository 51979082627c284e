package musig2

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// A signing is a call of DeterministicSign that is run step by step.
type signing struct {
	args    deterministic
	nonce   *SecretNonce
	own     *PublicNonce
	session *Session
	sig     *PartialSignature
}

// steps returns the steps of DeterministicSign after it checked its arguments.
func (s *signing) steps() []func() error {
	return []func() error{
		func() (err error) {
			s.nonce, err = newNonce(s.args.key, s.args.key.Public().Affine(), s.args.derive)
			return err
		},
		func() error {
			s.own = s.nonce.PublicNonce()
			return nil
		},
		func() error {
			s.session = s.args.session(s.own)
			return nil
		},
		func() (err error) {
			s.sig, err = s.session.Sign(s.nonce, (*koblitz.PrivateKey)(s.args.key))
			return err
		},
		func() error {
			if !s.args.check(s.nonce, s.own, s.sig) {
				return errFault
			}
			return nil
		},
	}
}

// addKeys adds bits of a private key and its public key, and of an aggregate key.
func addKeys(all *secrettest.Bits, key *keys.Private, k *AggregateKey) {
	all.AddKey(64, key)
	all.Add("aggregate key", &k.key)
	all.Add("keys of the signers", k.signers.points)
	all.Add("coefficient", k.signers.coefficients)
}

func addNonce(all *secrettest.Bits, n *SecretNonce) {
	s := n.state()
	all.Add("secret nonce", &s.k)
	all.Add("key of the nonce", &s.signer)
	all.Add("public nonce", &s.public)
}

func addSession(all *secrettest.Bits, s *Session) {
	all.Add("B", &s.values.B)
	all.Add("R", &s.values.R)
	all.Add("E", &s.values.E)
	all.Add("aggregate nonce", &s.n)
}

// bits returns the bits to flip before the given step: some of each value that is then in memory.
func (s *signing) bits(step int) (all secrettest.Bits) {
	addKeys(&all, s.args.key, s.args.aggregate)
	all.Add("nonce of the others", &s.args.others.n)
	all.Add("message", s.args.msg)
	all.Add("random bytes", s.args.random)
	if step > 0 {
		addNonce(&all, s.nonce)
	}
	if step > 1 {
		all.Add("returned nonce", &s.own.n)
	}
	if step > 2 {
		addSession(&all, s.session)
	}
	if step > 3 {
		all.Add("partial signature", &s.sig.s)
	}
	return all
}

// TestFault flips bits that are in memory before each step of DeterministicSign. There must be an
// error, the right result, or another nonce if an argument was changed before the call.
func TestFault(t *testing.T) {
	p := newParty(3, bytes.Repeat([]byte{1}, 32), func(k *AggregateKey) (*AggregateKey, error) {
		return reference.Must(k.TweakAddXOnly(bytes.Repeat([]byte{2}, 32))).TaprootTweak(nil)
	})
	others := reference.Must(AggregateNonces(p.nonces[0], p.nonces[2]))
	for _, random := range [][]byte{nil, bytes.Repeat([]byte{4}, 32)} {
		own, sig, err := DeterministicSign(p.private[1], p.key, others, p.msg, random)
		if err != nil {
			t.Fatal(err)
		}
		secrettest.Faults(t, func() secrettest.Computation {
			s := &signing{args: deterministic{
				(*keys.Private)(p.private[1]), p.key, others, bytes.Clone(p.msg), random}}
			return secrettest.Computation{Steps: s.steps(), Bits: s.bits, Right: func(step int) bool {
				if !s.own.Equal(own) {
					return step == 0
				}
				return s.sig.Equal(sig)
			}}
		})
	}
}

// TestFaultInSign flips a bit of each word that is in memory between NewSession and Sign. Faults of
// the key and of the nonce give an error, or the right partial signature. Faults of the session and
// of the aggregate key may give an invalid one, and the nonce does not sign again.
func TestFaultInSign(t *testing.T) {
	p := newParty(3, []byte("message"), nil)
	for i := 0; ; i++ {
		p.begin()
		var all secrettest.Bits
		addNonce(&all, p.secret[1])
		addKeys(&all, (*keys.Private)(p.private[1]), p.key)
		addSession(&all, p.session)
		if i == len(all) {
			sig, err := p.session.Sign(p.secret[1], p.private[1])
			if err != nil || !p.session.VerifyPartial(1, sig, p.nonces[1]) {
				t.Errorf("without a fault: %v", err)
			}
			break
		}
		all.Flip(i)
		sig, err := p.session.Sign(p.secret[1], p.private[1])
		value := all.Flip(i)
		if err == nil && !p.secret[1].IsZero() {
			t.Errorf("%s, bit %d: the nonce signs again", value, i)
		}
		switch value {
		case "aggregate key", "coefficient", "B", "R", "E":
		default:
			if err == nil && !p.session.VerifyPartial(1, sig, p.nonces[1]) {
				t.Errorf("%s, bit %d: an invalid partial signature", value, i)
			}
		}
	}
}
