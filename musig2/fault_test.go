package musig2

import (
	"bytes"
	"sync"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A signing is a call of DeterministicSign that is run step by step.
type signing struct {
	args    deterministic
	nonce   *SecretNonce
	own     *PublicNonce
	session *Session
	sig     *PartialSignature
}

// steps has the steps of DeterministicSign after it checked its arguments.
var steps = []func(s *signing, p *party) error{
	func(s *signing, _ *party) (err error) {
		s.nonce, err = newNonce(s.args.key, s.args.key.Public().Affine(), s.args.derive)
		return err
	},
	func(s *signing, _ *party) error {
		s.own = s.nonce.PublicNonce()
		return nil
	},
	func(s *signing, _ *party) error {
		s.session = s.args.session(s.own)
		return nil
	},
	func(s *signing, p *party) (err error) {
		s.sig, err = s.session.Sign(s.nonce, p.private[1])
		return err
	},
	func(s *signing, _ *party) error {
		if !s.args.check(s.nonce, s.own, s.sig) {
			return errFault
		}
		return nil
	},
}

// A word is a word of a value in memory.
type word struct {
	*uint64
	value string
}

// words returns all words of the value *p.
func words[T any](value string, p *T) (all []word) {
	w := unsafe.Slice((*uint64)(unsafe.Pointer(p)), unsafe.Sizeof(*p)/8)
	for i := range w {
		all = append(all, word{&w[i], value})
	}
	return all
}

// keyWords returns the words of a private key and its public key, and of an aggregate key.
func keyWords(key *keys.Private, k *AggregateKey) []word {
	type secret struct {
		_ sync.RWMutex
		d scalar.Scalar
	}
	s, _ := (*(*func() (*secret, *ecmult.Blinding))(unsafe.Pointer(key)))()
	all := append(words("private key", &s.d), words("public key", key.Public().Affine())...)
	all = append(all, words("aggregate key", &k.key)...)
	for i := range k.signers.points {
		all = append(all, words("key of a signer", &k.signers.points[i])...)
		all = append(all, words("coefficient", &k.signers.coefficients[i])...)
	}
	return all
}

// nonceWords returns the words of a nonce.
func nonceWords(n *SecretNonce) []word {
	s := n.state()
	return append(append(words("secret nonce", &s.k), words("key of the nonce", &s.signer)...),
		words("public nonce", &s.public)...)
}

// sessionWords returns the words of a session.
func sessionWords(s *Session) []word {
	v := &s.values
	return append(append(append(words("B", &v.B), words("R", &v.R)...), words("E", &v.E)...),
		words("aggregate nonce", &s.n)...)
}

// words returns the words of all values that are in memory before a step. It leaves out arguments
// that step 0 reads: if one of them changes before, the call has other arguments.
func (s *signing) words(step int) []word {
	all := keyWords(s.args.key, s.args.aggregate)
	if step > 0 {
		all = append(all, words("nonce of the others", &s.args.others.n)...)
		all = append(all, words("message", (*[32]byte)(s.args.msg))...)
		if s.args.random != nil {
			all = append(all, words("random bytes", (*[32]byte)(s.args.random))...)
		}
		all = append(all, nonceWords(s.nonce)...)
	}
	if s.own != nil {
		all = append(all, words("returned nonce", &s.own.n)...)
	}
	if s.session != nil {
		all = append(all, sessionWords(s.session)...)
	}
	if s.sig != nil {
		all = append(all, words("partial signature", &s.sig.s)...)
	}
	return all
}

// TestFault flips a bit of each word that is in memory before each step of DeterministicSign, and
// flips it back after the step or after all steps. There must be an error, or the right result.
func TestFault(t *testing.T) {
	p := newParty(3, bytes.Repeat([]byte{1}, 32), func(k *AggregateKey) (*AggregateKey, error) {
		return must(k.TweakAddXOnly(bytes.Repeat([]byte{2}, 32))).TaprootTweak(nil)
	})
	others := must(AggregateNonces(p.nonces[0], p.nonces[2]))
	runs, refused := 0, 0
	for _, random := range [][]byte{nil, bytes.Repeat([]byte{4}, 32)} {
		own, sig, err := DeterministicSign(p.private[1], p.key, others, p.msg, random)
		if err != nil {
			t.Fatal(err)
		}
		// run flips a bit of word i before a step. It returns false if there are fewer words.
		run := func(before, i int, lasting bool) bool {
			s := &signing{args: deterministic{
				(*keys.Private)(p.private[1]), p.key, others, bytes.Clone(p.msg), random}}
			flip, value := func() {}, ""
			defer func() { flip() }()
			for j, step := range steps {
				if j == before {
					all := s.words(j)
					if i == len(all) {
						return false
					}
					w, bit := all[i], uint64(1)<<(7*i%48)
					flip, value = func() { *w.uint64 ^= bit }, w.value
					flip()
				}
				if step(s, p) != nil {
					refused++
					return true
				}
				if j == before && !lasting {
					flip()
					flip = func() {}
				}
			}
			if !s.own.Equal(own) || !s.sig.Equal(sig) {
				t.Errorf("%s, word %d, before step %d, lasting %v: another result", value, i, before,
					lasting)
			}
			return true
		}
		for before := range steps {
			for i := 0; run(before, i, false) && run(before, i, true); i++ {
				runs += 2
			}
		}
	}
	t.Logf("%d flipped bits, %d errors", runs, refused)
}

// TestFaultInSign flips a bit of each word that is in memory between NewSession and Sign. Faults of
// the key and of the nonce give an error, or the right partial signature. Faults of the session and
// of the aggregate key may give an invalid one, and the nonce does not sign again.
func TestFaultInSign(t *testing.T) {
	p := newParty(3, []byte("message"), nil)
	for i := 0; ; i++ {
		p.begin()
		all := append(nonceWords(p.secret[1]), keyWords((*keys.Private)(p.private[1]), p.key)...)
		all = append(all, sessionWords(p.session)...)
		if i == len(all) {
			break
		}
		bit := uint64(1) << (7 * i % 48)
		*all[i].uint64 ^= bit
		sig, err := p.session.Sign(p.secret[1], p.private[1])
		*all[i].uint64 ^= bit
		if err == nil && !p.secret[1].IsZero() {
			t.Errorf("%s, word %d: the nonce signs again", all[i].value, i)
		}
		switch all[i].value {
		case "aggregate key", "coefficient", "B", "R", "E":
		default:
			if err == nil && !p.session.VerifyPartial(1, sig, p.nonces[1]) {
				t.Errorf("%s, word %d: an invalid partial signature", all[i].value, i)
			}
		}
	}
}
