package frost_test

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/x/frost"
)

func TestRFC9591(t *testing.T) {
	p := newParty(t, 2, 3)
	ids := []uint32{2, 0}
	signers := p.signers(t, ids...)
	var secret []*frost.SecretNonce
	var public []*frost.PublicNonce
	for _, id := range ids {
		n := must(frost.GenerateNonceRFC9591(p.shares[id]))(t)
		secret, public = append(secret, n), append(public, n.Public())
	}
	session := must(frost.NewSessionRFC9591(signers, public, []byte("message")))(t)
	foreign := must(frost.GenerateNonceRFC9591(p.shares[0]))(t)
	if _, err := session.Sign(foreign, 0, p.shares[0]); err == nil {
		t.Error("a nonce that is not in the session signs")
	}
	var partials [][]byte
	for i, id := range ids {
		partials = append(partials, must(session.Sign(secret[i], id, p.shares[id]))(t))
	}
	if err := session.VerifyPartials(public, partials); err != nil {
		t.Error(err)
	}
	swapped := []*frost.PublicNonce{public[1], public[0]}
	if err := session.VerifyPartials(swapped, partials); err == nil {
		t.Error("swapped nonces are accepted")
	}
	signature := must(session.Aggregate(partials))(t)
	if !frost.VerifyRFC9591(p.key, []byte("message"), signature) {
		t.Error("the signature is not valid")
	}
	for i := range signature {
		changed := slices.Clone(signature)
		changed[i] ^= 1
		if frost.VerifyRFC9591(p.key, []byte("message"), changed) {
			t.Errorf("byte %d does not count", i)
		}
	}
	if frost.VerifyRFC9591(p.key, []byte("other"), signature) {
		t.Error("the message does not count")
	}
	partials[1] = partials[0]
	blamed(t, session.VerifyPartials(public, partials), 0)
	if _, err := session.Aggregate(partials); err == nil {
		t.Error("a wrong signature is returned")
	}
	cancel := []*frost.PublicNonce{public[0], nil}
	if _, err := frost.NewSessionRFC9591(signers, cancel, nil); err == nil {
		t.Error("a nil nonce is accepted")
	}
	if _, err := frost.NewSessionRFC9591(signers, public[:1], nil); err == nil {
		t.Error("one nonce for two signers is accepted")
	}
	if _, err := frost.NewSessionRFC9591(nil, public, nil); err == nil {
		t.Error("a session without signers")
	}
}
