package frost

import (
	"bytes"
	"sync"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
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

// signingSteps are the steps of SignDeterministically.
var signingSteps = []func(s *signing) error{
	func(s *signing) (err error) {
		s.d, err = s.start()
		return err
	},
	func(s *signing) (err error) {
		s.session, err = s.d.session()
		return err
	},
	func(s *signing) (err error) {
		s.z, err = s.session.sum(s.d.nonce, s.d.index, s.share)
		return err
	},
	func(s *signing) error {
		again, err := s.start()
		if err == nil && !again.confirms(s.d.nonce.public, s.z) {
			err = errFault
		}
		return err
	},
}

// A bit is the lowest bit of a word in memory.
type bit struct {
	name string
	at   *byte
}

func (b bit) flip() { *b.at ^= 1 }

// bits returns the lowest bit of each word of *p. The lowest bit of a coordinate is encoded with a
// compressed point, and the other words are not.
func bits[T any](name string, p *T) (all []bit) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
	for i := 0; i < len(b); i += 8 {
		all = append(all, bit{name, &b[i]})
	}
	return all
}

// bits returns bits of all values that are in memory before a step.
func (s *signing) bits(step int) (all []bit) {
	add := func(more []bit) { all = append(all, more...) }
	type secret struct { // the head of keys.Secret
		_ sync.RWMutex
		d [32]byte
	}
	share, _ := (*(*func() (*secret, unsafe.Pointer))(unsafe.Pointer(s.share)))()
	add(bits("share", &share.d))
	add(bits("threshold public key", s.signers.key))
	for i := range s.signers.ids {
		add(bits("identifier", &s.signers.ids[i]))
		add(bits("public share", &s.signers.shares[i]))
		add(bits("coefficient", s.signers.lambda[i]))
	}
	add(bits("other nonces", s.others))
	for i := range s.tweaks {
		add(bits("argument: tweak", (*[32]byte)(s.tweaks[i].Value)))
		add(bits("argument: mode of the tweak", &s.tweaks[i].XOnly))
	}
	add(bits("argument: message", (*[32]byte)(s.message)))
	if s.random != nil {
		add(bits("argument: random", (*[32]byte)(s.random)))
	}
	if step > 0 {
		add(bits("index", (*uint8)(unsafe.Pointer(&s.d.index))))
		add(bits("message", (*[32]byte)(s.d.message)))
		add(bits("tweaked key", s.d.key.key))
		add(bits("sum of the tweaks", &s.d.key.t))
		add(bits("sign of the key", &s.d.key.negated))
		add(bits("sum of the nonces", &s.d.sum.points))
		add(bits("public nonce", s.d.nonce.public))
		if k := s.d.nonce.pair.Load(); k != nil {
			add(bits("nonce", k))
		}
	}
	if step > 1 {
		for i := range s.session.binding {
			add(bits("b", &s.session.binding[i]))
		}
		add(bits("R", s.session.r))
		add(bits("sign of R", &s.session.negateNonces))
		add(bits("challenge", &s.session.challenge))
	}
	if step > 2 {
		add(bits("partial signature", s.z))
	}
	return all
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

// TestFault flips a bit of each word that is in memory before each step of SignDeterministically,
// and flips it back after that step or after the last one. There must be an error, the right
// result, or another nonce if an argument was changed before the call: another partial signature by
// the same nonce would reveal the share.
func TestFault(t *testing.T) {
	runs, refused := 0, 0
	random, tweaks := bytes.Repeat([]byte{9}, 32), []Tweak{{bytes.Repeat([]byte{7}, 32), true}}
	for _, s := range []*signing{newSigning(t, nil, nil), newSigning(t, tweaks, random)} {
		nonce, partial, err := SignDeterministically(
			s.signers, s.others, s.tweaks, s.message, 0, s.share, s.random)
		if err != nil {
			t.Fatal(err)
		}
		// run flips bit i before a step. It returns false if there are fewer bits.
		run := func(before, i int, lasting bool) bool {
			fault := bit{at: new(byte)}
			defer func() { fault.flip() }()
			for j, step := range signingSteps {
				if j == before {
					all := s.bits(j)
					if i == len(all) {
						return false
					}
					fault = all[i]
					fault.flip()
				}
				if step(s) != nil {
					refused++
					return true
				}
				if j == before && !lasting {
					fault.flip()
					fault = bit{name: fault.name, at: new(byte)}
				}
			}
			same := bytes.Equal(s.d.nonce.public.Bytes(), nonce.Bytes())
			if !bytes.Equal(s.z.Bytes(), partial) && (same || before > 0) {
				t.Errorf("%s, bit %d, before step %d, lasting %t: another result", fault.name, i, before,
					lasting)
			}
			return true
		}
		for before := range signingSteps {
			for i := 0; run(before, i, false) && run(before, i, true); i++ {
				runs += 2
			}
		}
	}
	t.Logf("%d flipped bits, %d errors", runs, refused)
}

// TestFaultInSign flips a bit of each word between NewSession and Session.Sign. There is an error
// or a valid partial signature, unless the bit is one of the session and its signers: then there
// may be one that is not valid, as the documentation says.
func TestFaultInSign(t *testing.T) {
	s := newSigning(t, nil, nil)
	for i := 0; ; i++ {
		for j := range 2 {
			if err := signingSteps[j](s); err != nil {
				t.Fatal(err)
			}
		}
		all := s.bits(2)
		if i == len(all) {
			break
		}
		all[i].flip()
		partial, err := s.session.Sign(s.d.nonce, 0, s.share)
		all[i].flip()
		if err != nil {
			continue
		}
		z, err := new(group.Scalar).SetBytes(partial)
		valid := err == nil && s.session.holds(z, 0, s.d.nonce.public)
		switch all[i].name {
		case "coefficient", "sign of the key", "b", "sign of R", "challenge":
		default:
			if !valid {
				t.Errorf("%s, bit %d: an invalid partial signature", all[i].name, i)
			}
		}
	}
}
