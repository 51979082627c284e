package frost_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/frost"
)

// TestChangingMemory calls each function that takes bytes with memory that changes when it is read
// again. The result is that of the first content, since a verification that hashed another content
// than it parsed could be made to accept a forgery. SignDeterministically reads its arguments twice
// to find faults, and returns an error: one nonce for two messages or keys would reveal the share.
func TestChangingMemory(t *testing.T) {
	p := newParty(t, 2, 3)
	r := newRound(t, p, "message", nil, 0, 2)
	partials := r.sign(t)
	signers := p.signers(t, 0, 2)
	sum := must(frost.AggregateNonces(r.public))(t)
	others := must(frost.AggregateNonces(r.public[:1]))(t)
	digest := schnorr.TaggedHash("test")
	tweak := digest[:]
	message := bytes.Repeat([]byte("long"), 32)
	deterministic := func(tweak, message, random []byte) string {
		nonce, partial, err := frost.SignDeterministically(
			signers, others, []frost.Tweak{{tweak, true}}, message, 2, p.shares[2], random)
		return fmt.Sprintf("%x %x %v", nonce.Bytes(), partial, err)
	}
	inSession := func(tweak, message []byte) string {
		secret, public := nonces(t, 2)
		session := must(frost.NewSession(
			signers, must(frost.AggregateNonces(public))(t), []frost.Tweak{{tweak, true}}, message))(t)
		return fmt.Sprintf("%v %v", session.PublicKey(), aggregate(t, p, session, secret) != nil)
	}
	byRFC9591 := func(message []byte) []byte {
		secret, public := nonces(t, 2)
		return aggregate(t, p, must(frost.NewSessionRFC9591(signers, public, message))(t), secret)
	}
	signature := byRFC9591(message)
	const fault = "a fault happened"
	changing.Same(t, "Tweaked", tweak, func(b []byte) string {
		return fmt.Sprint(frost.Tweaked(p.key, []frost.Tweak{{tweak, false}, {b, true}}))
	})
	changing.Same(t, "NewSession: tweak", tweak, func(b []byte) string {
		return inSession(b, message)
	})
	changing.Same(t, "NewSession: message", message, func(b []byte) string {
		return inSession(tweak, b)
	})
	changing.Same(t, "NewSessionRFC9591", message, func(b []byte) string {
		return fmt.Sprint(frost.VerifyRFC9591(p.key, message, byRFC9591(b)))
	})
	changing.Refused(t, "SignDeterministically: tweak", fault, tweak, func(b []byte) string {
		return deterministic(b, message, nil)
	})
	changing.Refused(t, "SignDeterministically: message", fault, message, func(b []byte) string {
		return deterministic(tweak, b, nil)
	})
	changing.Refused(t, "SignDeterministically: random", fault, tweak, func(b []byte) string {
		return deterministic(tweak, message, b)
	})
	changing.Same(t, "GenerateNonce: Message", message, func(b []byte) string {
		_, err := frost.GenerateNonce(&frost.NonceOptions{Message: frost.NewInput(b)})
		return fmt.Sprint(err)
	})
	changing.Same(t, "GenerateNonce: Extra", message, func(b []byte) string {
		_, err := frost.GenerateNonce(&frost.NonceOptions{Extra: frost.NewInput(b)})
		return fmt.Sprint(err)
	})
	changing.Same(t, "StartKeyGen", message, func(b []byte) string {
		own := must(frost.StartKeyGen(0, 1, 2, message))(t)
		other := must(frost.StartKeyGen(1, 1, 2, b))(t)
		_, err := own.Shares([]*frost.Contribution{own.Contribution(), other.Contribution()})
		return fmt.Sprint(err)
	})
	changing.Same(t, "VerifyPartials", partials[0], func(b []byte) string {
		return fmt.Sprint(r.session.VerifyPartials(r.public, [][]byte{b, partials[1]}))
	})
	changing.Same(t, "VerifyPartials: one invalid", partials[0], func(b []byte) string {
		return fmt.Sprint(r.session.VerifyPartials(r.public, [][]byte{b, tweak}))
	})
	changing.Same(t, "Aggregate", partials[0], func(b []byte) string {
		return fmt.Sprint(r.session.Aggregate([][]byte{b, partials[1]}))
	})
	changing.Same(t, "ParsePublicNonce", r.public[0].Bytes(), func(b []byte) string {
		n, err := frost.ParsePublicNonce(b)
		return fmt.Sprint(n.Bytes(), err)
	})
	changing.Same(t, "ParseAggregateNonce", sum.Bytes(), func(b []byte) string {
		n, err := frost.ParseAggregateNonce(b)
		return fmt.Sprint(n.Bytes(), err)
	})
	changing.Same(t, "ParseCommitment", p.commitment.Bytes(), func(b []byte) string {
		c, err := frost.ParseCommitment(b)
		return fmt.Sprint(c.Bytes(), err)
	})
	contribution := newGeneration(t, 2, 2).contributions[0].Bytes()
	changing.Same(t, "ParseContribution", contribution, func(b []byte) string {
		c, err := frost.ParseContribution(b)
		return fmt.Sprint(c.Bytes(), err)
	})
	repair := must(frost.NewRepair(p.commitment, 3, 1, []uint32{0, 2}))(t)
	part := must(repair.Parts(0, p.shares[0]))(t)[0].Bytes()
	changing.Same(t, "ParseRepairPart", part, func(b []byte) string {
		p, err := frost.ParseRepairPart(b)
		return fmt.Sprint(p.Bytes(), err)
	})
	changing.Same(t, "VerifyRFC9591: message", message, func(b []byte) string {
		return fmt.Sprint(frost.VerifyRFC9591(p.key, b, signature))
	})
	changing.Same(t, "VerifyRFC9591: signature", signature, func(b []byte) string {
		return fmt.Sprint(frost.VerifyRFC9591(p.key, message, b))
	})
}

// TestChangingParts adds the parts of a repair in a list that changes when it is read again. A part
// that was not judged must not be added: it may be for other helpers.
func TestChangingParts(t *testing.T) {
	p := newParty(t, 2, 4)
	repair := must(frost.NewRepair(p.commitment, 4, 1, []uint32{0, 2}))(t)
	another := must(frost.NewRepair(p.commitment, 4, 3, []uint32{0, 2}))(t)
	parts := []*frost.RepairPart{
		must(repair.Parts(0, p.shares[0]))(t)[0], must(repair.Parts(2, p.shares[2]))(t)[0],
	}
	changed := []*frost.RepairPart{parts[0], must(another.Parts(2, p.shares[2]))(t)[0]}
	content := func(s []*frost.RepairPart) []byte {
		return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 2*unsafe.Sizeof(s[0])))
	}
	want := must(repair.AddParts(0, parts))(t).Bytes()
	changing.Each(t, content(parts), content(changed), func(b []byte) {
		list := unsafe.Slice((**frost.RepairPart)(unsafe.Pointer(&b[0])), 2)
		if got := must(repair.AddParts(0, list))(t).Bytes(); !bytes.Equal(got, want) {
			t.Error("a part that was not judged is added")
		}
	})
	runtime.KeepAlive(parts) // bytes keep no elements alive
	runtime.KeepAlive(changed)
}

// TestChangingNonce signs in a session whose aggregate nonce changes when NewSession reads it
// again, and when the session is used. The binding factor must be the hash of the nonce that it
// multiplies.
func TestChangingNonce(t *testing.T) {
	p := newParty(t, 2, 3)
	secret, public := nonces(t, 2)
	sum, other := must(frost.AggregateNonces(public))(t), must(frost.AggregateNonces(public[:1]))(t)
	content := func(n *frost.AggregateNonce) []byte {
		return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(n)), unsafe.Sizeof(*n)))
	}
	changing.Each(t, content(sum), content(other), func(b []byte) {
		nonce := (*frost.AggregateNonce)(unsafe.Pointer(&b[0]))
		session := must(frost.NewSession(p.signers(t, 0, 2), nonce, nil, []byte("message")))(t)
		again := must(frost.NewSession(p.signers(t, 0, 2), sum, nil, []byte("message")))(t)
		partials := [][]byte{
			must(session.Sign(secret[0], 0, p.shares[0]))(t),
			must(session.Sign(secret[1], 2, p.shares[2]))(t),
		}
		for _, s := range []*frost.Session{session, again} {
			if err := s.VerifyPartials(public, partials); err != nil {
				t.Error(err)
			}
		}
	})
}

// aggregate returns the signature of participants 0 and 2.
func aggregate(
	t *testing.T, p *party, session *frost.Session, secret []*frost.SecretNonce,
) []byte {
	t.Helper()
	first := must(session.Sign(secret[0], 0, p.shares[0]))(t)
	second := must(session.Sign(secret[1], 2, p.shares[2]))(t)
	return must(session.Aggregate([][]byte{first, second}))(t)
}
