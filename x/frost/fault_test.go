package frost

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
)

// A signing is a call of SignDeterministically by participant 0, together with participant 1. It is
// run step by step.
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

// start computes the nonce.
func (s *signing) start() (*deterministic, error) {
	return newDeterministic(s.signers, s.others, s.tweaks, s.message, 0, s.share, s.random)
}

// steps returns the steps of SignDeterministically.
func (s *signing) steps() []func() error {
	return []func() error{
		func() (err error) {
			s.d, err = s.start()
			return err
		},
		func() (err error) {
			s.session, err = s.d.session()
			return err
		},
		func() (err error) {
			s.z, err = s.session.sum(s.d.nonce, s.d.index, s.share)
			return err
		},
		func() error {
			again, err := s.start()
			if err == nil && !again.confirms(s.d.nonce.public, s.z) {
				err = errFault
			}
			return err
		},
	}
}

// bits returns the bits to flip before the given step: some of each value that is then in memory.
func (s *signing) bits(step int) (all secrettest.Bits) {
	all.Add("share", secretOf(s.share))
	all.Add("threshold public key", s.signers.key)
	for i := range s.signers.ids {
		all.Add("identifier", &s.signers.ids[i])
		all.Add("coefficient", s.signers.lambda[i])
	}
	all.Add("public shares", s.signers.shares)
	all.Add("other nonces", s.others)
	for i := range s.tweaks {
		all.Add("tweak", s.tweaks[i].Value)
		all.Add("mode of the tweak", &s.tweaks[i].XOnly)
	}
	all.Add("message", s.message)
	all.Add("random", s.random)
	if step > 0 {
		all.Add("index", &s.d.index)
		all.Add("copy of the message", s.d.message)
		all.Add("tweaked key", s.d.key.key)
		all.Add("sum of the tweaks", &s.d.key.t)
		all.Add("sign of the key", &s.d.key.negated)
		all.Add("sum of the nonces", &s.d.sum.points)
		all.Add("public nonce", s.d.nonce.public)
		all.Add("nonce", s.d.nonce.pair.Load())
	}
	if step > 1 {
		all.Add("b", s.session.binding)
		all.Add("R", s.session.r)
		all.Add("sign of R", &s.session.negateNonces)
		all.Add("challenge", &s.session.challenge)
	}
	if step > 2 {
		all.Add("partial signature", s.z)
	}
	return all
}

// secretOf returns the bytes of a key in memory.
func secretOf(k *koblitz.PrivateKey) *[32]byte {
	type secret struct { // the head of keys.Secret
		_ sync.RWMutex
		d [32]byte
	}
	s, _ := (*(*func() (*secret, unsafe.Pointer))(unsafe.Pointer(k)))()
	return &s.d
}

func newSigning(t *testing.T, tweaks []Tweak, random []byte) *signing {
	t.Helper()
	shares, c, err := Deal(koblitz.GenerateKey(), 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	key, err := c.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	other, err := GenerateNonce(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &signing{
		tweaks: tweaks, message: bytes.Repeat([]byte("m"), 32), share: shares[0], random: random,
	}
	public := []*koblitz.PublicKey{shares[0].PublicKey(), shares[1].PublicKey()}
	if s.signers, err = NewSigners(2, 3, []uint32{0, 1}, public, key); err != nil {
		t.Fatal(err)
	}
	if s.others, err = AggregateNonces([]*PublicNonce{other.Public()}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFault flips bits that are in memory before each step of SignDeterministically. There must be
// an error, the right result, or another nonce if an argument was changed before the call: another
// partial signature by the same nonce would reveal the share.
func TestFault(t *testing.T) {
	random, tweaks := bytes.Repeat([]byte{9}, 32), []Tweak{{bytes.Repeat([]byte{7}, 32), true}}
	for _, args := range []*signing{newSigning(t, nil, nil), newSigning(t, tweaks, random)} {
		nonce, partial, err := SignDeterministically(
			args.signers, args.others, args.tweaks, args.message, 0, args.share, args.random)
		if err != nil {
			t.Fatal(err)
		}
		secrettest.Faults(t, func() secrettest.Computation {
			s := *args
			return secrettest.Computation{Steps: s.steps(), Bits: s.bits, Right: func(step int) bool {
				if !s.d.nonce.public.equal(nonce) {
					return step == 0
				}
				return bytes.Equal(s.z.Bytes(), partial)
			}}
		})
	}
}

// TestFaultInSign flips bits between NewSession and Session.Sign. There is an error or a valid
// partial signature, unless the bit is one of the session and its signers: then there may be one
// that is not valid, as the documentation says.
func TestFaultInSign(t *testing.T) {
	s := newSigning(t, nil, nil)
	for i := 0; ; i++ {
		for _, step := range s.steps()[:2] {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		all := s.bits(2)
		sign := func() ([]byte, error) { return s.session.Sign(s.d.nonce, 0, s.share) }
		valid := func(partial []byte) bool {
			z, err := new(group.Scalar).SetBytes(partial)
			return err == nil && s.session.isValid(z, 0, s.d.nonce.public)
		}
		if i == len(all) {
			if partial, err := sign(); err != nil || !valid(partial) {
				t.Errorf("without a fault: %x, %v", partial, err)
			}
			break
		}
		all.Flip(i)
		partial, err := sign()
		value := all.Flip(i)
		if err != nil {
			continue
		}
		switch value {
		case "coefficient", "sign of the key", "b", "sign of R", "challenge":
		default:
			if !valid(partial) {
				t.Errorf("%s, bit %d: an invalid partial signature", value, i)
			}
		}
	}
}

// TestFaultInRepair flips bits before each step of a helper in a repair. There is an error, or the
// parts add up to the helper's term, or all other helpers refuse the parts.
func TestFaultInRepair(t *testing.T) {
	shares, c, err := Deal(koblitz.GenerateKey(), 2, 6)
	if err != nil {
		t.Fatal(err)
	}
	right, err := NewRepair(c, 6, 4, []uint32{0, 2})
	if err != nil {
		t.Fatal(err)
	}
	term := scalarOf(t, shares[0].Bytes())
	term.Mul(term, right.lambda[0])
	secrettest.Faults(t, func() secrettest.Computation {
		n, id, lost, helpers := 6, uint32(0), uint32(4), []uint32{0, 2}
		var r *Repair
		var parts []*RepairPart
		return secrettest.Computation{
			Steps: []func() error{
				func() (err error) {
					r, err = NewRepair(c, n, lost, helpers)
					return err
				},
				func() (err error) {
					parts, err = r.split(id, shares[0])
					return err
				},
				func() error { return r.confirm(id, parts) },
			},
			Bits: func(step int) (all secrettest.Bits) {
				all.Add("share", secretOf(shares[0]))
				all.Add("commitment", c.points)
				all.Add("number of participants", &n)
				all.Add("identifier", &id)
				if step == 0 {
					all.Add("lost", &lost)
					all.Add("helper 0", &helpers[0])
					all.Add("helper 1", &helpers[1])
					return all
				}
				all.Add("number in the repair", &r.n)
				all.Add("lost in the repair", &r.lost)
				all.Add("digest", &r.digest)
				for i := range r.helpers {
					all.Add("helper in the repair", &r.helpers[i])
					all.Add("coefficient", r.lambda[i])
				}
				for _, p := range parts {
					all.Add("digest of a part", &p.digest)
					all.Add("part", secretOf(p.secret))
				}
				return all
			},
			Right: func(int) bool {
				sum, err := addParts(parts)
				return err == nil && scalarOf(t, sum.Bytes()).Equal(term) ||
					!slices.ContainsFunc(parts, func(p *RepairPart) bool {
						return p.digest == right.part(0, 0, nil).digest ||
							p.digest == right.part(0, 2, nil).digest
					})
			},
		}
	})
}

// TestFaultInDeal flips bits before each step of Deal. There is an error, or each participant gets
// its own share.
func TestFaultInDeal(t *testing.T) {
	secrettest.Faults(t, func() secrettest.Computation {
		p := newPolynomial(group.RandomScalar(), 2)
		var c *Commitment
		var shares []*koblitz.PrivateKey
		return secrettest.Computation{
			Steps: []func() error{
				func() (err error) {
					c, err = p.commitment()
					return err
				},
				func() (err error) {
					shares, err = p.shares(3)
					return err
				},
				func() error { return p.confirm(c, shares) },
			},
			Bits: func(step int) (all secrettest.Bits) {
				for k := range p {
					all.Add("coefficient", p[k])
					if step > 0 {
						all.Add("commitment", &c.points[k])
					}
				}
				for _, share := range shares {
					all.Add("share", secretOf(share))
				}
				return all
			},
			Right: func(int) bool {
				sent, err := ParseCommitment(c.Bytes())
				for i, share := range shares {
					err = errors.Join(err, sent.Check(uint32(i), share))
				}
				return err == nil
			},
		}
	})
}
