package frost

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
)

// A signing holds the arguments of SignDeterministically and all values that it stores. Later steps
// set d, session and z.
type signing struct {
	signers *Signers
	others  *AggregateNonce
	tweaks  []Tweak
	message []byte
	share   *koblitz.PrivateKey
	random  []byte

	d       *deterministic
	session *Session
	z       *group.Scalar
}

func (s *signing) start() (*deterministic, error) {
	return newDeterministic(s.signers, s.others, s.tweaks, s.message, 0, s.share, s.random)
}

// newSigning returns the arguments of participant 0, who signs together with participant 1. They
// are the same for the same polynomial and nonce, and share no memory.
func newSigning(t *testing.T, p polynomial, other *PublicNonce) *signing {
	t.Helper()
	shares, c, err := p.deal(3)
	if err != nil {
		t.Fatal(err)
	}
	key, err := c.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	s := &signing{
		tweaks: []Tweak{{bytes.Repeat([]byte{7}, 32), true}}, message: []byte("message"),
		share: shares[0], random: bytes.Repeat([]byte{9}, 32),
	}
	public := []*koblitz.PublicKey{shares[0].PublicKey(), shares[1].PublicKey()}
	if s.signers, err = NewSigners(2, 3, []uint32{0, 1}, public, key); err != nil {
		t.Fatal(err)
	}
	if s.others, err = AggregateNonces([]*PublicNonce{other}); err != nil {
		t.Fatal(err)
	}
	return s
}

var otherKey = koblitz.GenerateKey()

func flip(s *group.Scalar) { s.Add(s, new(group.Scalar).SetUint64(1)) }

func flipPoint(p *group.Point) { p.Add(p, new(group.Point).SetGenerator()) }

func flipPair(n *SecretNonce, i int) {
	if k := n.pair.Load(); k != nil {
		flip(&k[i])
	}
}

// faults change the values that signing reads and stores. A fault of a value that a step has not
// stored yet is nil there.
var faults = []struct {
	name   string
	step   int // the first at which there is the value
	change func(s *signing)
}{
	{"none", 0, func(*signing) {}},
	{"argument: message", 0, func(s *signing) { s.message[0] ^= 1 }},
	{"argument: tweak", 0, func(s *signing) { s.tweaks[0].Value[0] ^= 1 }},
	{"argument: mode of the tweak", 0, func(s *signing) { s.tweaks[0].XOnly = false }},
	{"argument: random", 0, func(s *signing) { s.random[0] ^= 1 }},
	{"argument: share", 0, func(s *signing) { s.share = otherKey }},
	{"argument: other nonces 1", 0, func(s *signing) { flipPoint(&s.others.points[0]) }},
	{"argument: other nonces 2", 0, func(s *signing) { flipPoint(&s.others.points[1]) }},
	{"identifier", 0, func(s *signing) { s.signers.ids[0] ^= 4 }},
	{"other identifier", 0, func(s *signing) { s.signers.ids[1] ^= 4 }},
	{"public share", 0, func(s *signing) { flipPoint(&s.signers.shares[0]) }},
	{"other public share", 0, func(s *signing) { flipPoint(&s.signers.shares[1]) }},
	{"coefficient", 0, func(s *signing) { flip(s.signers.lambda[0]) }},
	{"other coefficient", 0, func(s *signing) { flip(s.signers.lambda[1]) }},
	{"threshold public key", 0, func(s *signing) { s.signers.key = otherKey.PublicKey() }},
	{"index", 0, func(s *signing) { s.d.index ^= 1 }},
	{"message", 0, func(s *signing) { s.d.message[0] ^= 1 }},
	{"tweaked key", 0, func(s *signing) { s.d.key.key = otherKey.PublicKey() }},
	{"negated key", 0, func(s *signing) { s.d.key.key = s.d.key.key.Negate() }},
	{"sum of tweaks", 0, func(s *signing) { flip(&s.d.key.t) }},
	{"sign of the key", 0, func(s *signing) { s.d.key.negated = !s.d.key.negated }},
	{"sum of nonces 1", 0, func(s *signing) { flipPoint(&s.d.sum.points[0]) }},
	{"sum of nonces 2", 0, func(s *signing) { flipPoint(&s.d.sum.points[1]) }},
	{"nonce 1", 0, func(s *signing) { flipPair(s.d.nonce, 0) }},
	{"nonce 2", 0, func(s *signing) { flipPair(s.d.nonce, 1) }},
	{"public nonce 1", 0, func(s *signing) { flipPoint(&s.d.nonce.public.points[0]) }},
	{"public nonce 2", 0, func(s *signing) { flipPoint(&s.d.nonce.public.points[1]) }},
	{"b", 1, func(s *signing) { flip(&s.session.binding[0]) }},
	{"other b", 1, func(s *signing) { flip(&s.session.binding[1]) }},
	{"R", 1, func(s *signing) { s.session.r = otherKey.PublicKey() }},
	{"sign of R", 1, func(s *signing) { s.session.negateNonces = !s.session.negateNonces }},
	{"challenge", 1, func(s *signing) { flip(&s.session.challenge) }},
	{"partial signature", 2, func(s *signing) { flip(s.z) }},
}

// TestFaultOfDeterministicSigning changes each value that SignDeterministically reads or stores,
// after each of its steps. The result is an error, or the nonce and the partial signature without a
// fault: two partial signatures by one nonce would reveal the share.
func TestFaultOfDeterministicSigning(t *testing.T) {
	p := newPolynomial(group.RandomScalar(), 2)
	other, err := GenerateNonce(nil)
	if err != nil {
		t.Fatal(err)
	}
	var nonce, partial []byte
	for _, f := range faults {
		for step := f.step; step < 3; step++ {
			s := newSigning(t, p, other.Public())
			err := s.sign(func(n int) {
				if n == step {
					f.change(s)
				}
			})
			if f.name == "none" {
				if err != nil {
					t.Fatal(err)
				}
				nonce, partial = s.d.nonce.public.Bytes(), s.z.Bytes()
			}
			if err == nil && (!bytes.Equal(s.d.nonce.public.Bytes(), nonce) ||
				!bytes.Equal(s.z.Bytes(), partial)) {
				t.Errorf("%s, after step %d: there is another partial signature", f.name, step)
			}
		}
	}
}

// sign takes the steps of SignDeterministically, and calls after with each one's number.
func (s *signing) sign(after func(step int)) (err error) {
	if s.d, err = s.start(); err != nil {
		return err
	}
	after(0)
	if s.session, err = s.d.session(); err != nil {
		return err
	}
	after(1)
	if s.z, err = s.session.sum(s.d.nonce, s.d.index, s.share); err != nil {
		return err
	}
	after(2)
	again, err := s.start()
	if err == nil && !again.confirms(s.d.nonce.public, s.z) {
		err = errFault
	}
	return err
}

// TestFault changes each value that Session.Sign uses before it computes the partial signature and
// before it verifies it. The result is an error or the right partial signature, except after a
// fault in the session itself, as the documentation says. Such a partial signature is not valid.
func TestFault(t *testing.T) {
	unseen := map[string]bool{
		"b": true, "sign of R": true, "challenge": true, "coefficient": true, "sign of the key": true,
	}
	p := newPolynomial(group.RandomScalar(), 2)
	other, err := GenerateNonce(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		for step := 1; step < 3; step++ {
			s := newSigning(t, p, other.Public())
			if s.d, err = s.start(); err != nil {
				t.Fatal(err)
			}
			if s.session, err = s.d.session(); err != nil {
				t.Fatal(err)
			}
			clean, public := *s.session, *s.d.nonce.public
			index := s.d.index
			clean.signers = newSigning(t, p, other.Public()).signers
			clean.key = &tweaked{clean.key.key, clean.key.negated, clean.key.t}
			clean.binding = append([]group.Scalar(nil), clean.binding...)
			if step == 1 && f.step < 2 {
				f.change(s)
			}
			s.z, err = s.session.sum(s.d.nonce, s.d.index, s.share)
			if err != nil {
				continue
			}
			if step == 2 {
				f.change(s)
			}
			if !s.session.holds(s.z, s.d.index, s.d.nonce.public) {
				continue
			}
			if valid := clean.holds(s.z, index, &public); valid == (step == 1 && unseen[f.name]) {
				t.Errorf("%s, before step %d: a partial signature is returned, valid: %t",
					f.name, step, valid)
			}
		}
	}
}
