package frost_test

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/frost"
)

// Every function that takes a list of participants, or one element for each of them, refuses lists
// that an attacker would write. Participant 0 of 5 calls, with a threshold of 3.
func TestLists(t *testing.T) {
	p := newParty(t, 3, 5)
	share := p.shares[0]
	public := func(id uint32) *koblitz.PublicKey {
		if int(id) < p.n {
			return p.shares[id].PublicKey()
		}
		return koblitz.GenerateKey().PublicKey()
	}
	newSigners := func(ids []uint32) (*frost.Signers, error) {
		var shares []*koblitz.PublicKey
		for _, id := range ids {
			shares = append(shares, public(id))
		}
		return frost.NewSigners(p.t, p.n, ids, shares, p.key)
	}
	repair := func(lost uint32) func([]uint32) error {
		return func(helpers []uint32) error {
			r, err := frost.NewRepair(p.commitment, p.n, lost, helpers)
			if err == nil {
				_, err = r.Parts(0, share)
			}
			return err
		}
	}
	_, spare := nonces(t, 1)
	others := must(frost.AggregateNonces(spare))(t)

	// These functions take lists of identifiers. A list must hold participant 0.
	byID := map[string]func(ids []uint32) error{
		"Repair.Parts": repair(4),
		"Session.Sign": func(ids []uint32) error {
			signers, err := newSigners(ids)
			if err != nil {
				return err
			}
			secret, nonces := nonces(t, 1)
			session := must(frost.NewSession(signers, must(frost.AggregateNonces(nonces))(t), nil, nil))(t)
			_, err = session.Sign(secret[0], 0, share)
			return err
		},
		"Session.Sign of RFC 9591": func(ids []uint32) error {
			signers, err := newSigners(ids)
			if err != nil {
				return err
			}
			secret, nonces := nonces(t, len(ids))
			session := must(frost.NewSessionRFC9591(signers, nonces, nil))(t)
			_, err = session.Sign(secret[max(slices.Index(ids, 0), 0)], 0, share)
			return err
		},
		"SignDeterministically": func(ids []uint32) error {
			signers, err := newSigners(ids)
			if err != nil {
				return err
			}
			_, _, err = frost.SignDeterministically(signers, others, nil, nil, 0, share, nil)
			return err
		},
	}
	for name, f := range byID {
		for _, ids := range [][]uint32{{0, 1, 2}, {3, 0, 1}, {2, 1, 3, 0}} {
			if err := f(ids); err != nil {
				t.Errorf("%s of %d: %v", name, ids, err)
			}
		}
		for _, ids := range [][]uint32{
			nil, {}, {0}, {0, 1}, {0, 0}, // too short
			{0, 0, 0}, {0, 1, 1}, {0, 1, 0}, {0, 1, 2, 2}, // twice
			{0, 1, 5}, {5, 0, 1}, {0, 1, 1<<32 - 1}, {0, 5, 6}, // not in the group
			{1, 2, 3},                                 // without participant 0
			{0, 1, 2, 3, 4, 0}, {0, 1, 2, 3, 4, 5, 6}, // too long
		} {
			if f(ids) == nil {
				t.Errorf("%s of %d: no error", name, ids)
			}
		}
	}
	for _, c := range []struct {
		lost    uint32
		helpers []uint32
	}{
		{1, []uint32{0, 1, 2}}, {0, []uint32{0, 1, 2}}, // a helper of its own
		{5, []uint32{0, 1, 2}}, {1<<32 - 1, []uint32{0, 1, 2}}, // not in the group
		{4, []uint32{0, 1, 2, 3, 4}},
	} {
		if repair(c.lost)(c.helpers) == nil {
			t.Errorf("%d repair the share of %d", c.helpers, c.lost)
		}
	}
	other := newParty(t, 3, 5)
	for what, c := range map[string]struct {
		commitment *frost.Commitment
		n          int
		share      *koblitz.PrivateKey
	}{
		"another participant's share": {p.commitment, p.n, p.shares[1]},
		"a share of another key":      {p.commitment, p.n, other.shares[0]},
		"another key's commitment":    {other.commitment, p.n, share},
		"no share":                    {p.commitment, p.n, nil},
		"a zero share":                {p.commitment, p.n, new(koblitz.PrivateKey)},
		"no commitment":               {nil, p.n, share},
		"a zero commitment":           {new(frost.Commitment), p.n, share},
		"a group that is too small":   {p.commitment, 2, share},
		"a negative number":           {p.commitment, -1, share},
	} {
		r, err := frost.NewRepair(c.commitment, c.n, 4, []uint32{0, 1, 2})
		if err == nil {
			_, err = r.Parts(0, c.share)
		}
		if err == nil {
			t.Errorf("%s repairs", what)
		}
	}

	// Other nonces are those of other signers.
	for _, c := range []struct {
		party  *party
		ids    []uint32
		others *frost.AggregateNonce
	}{
		{p, []uint32{0, 1, 2}, nil}, {p, []uint32{0, 1, 2}, new(frost.AggregateNonce)},
		{newParty(t, 1, 2), []uint32{0, 1}, nil}, {newParty(t, 1, 2), []uint32{0}, others},
	} {
		_, _, err := frost.SignDeterministically(
			c.party.signers(t, c.ids...), c.others, nil, nil, 0, c.party.shares[0], nil)
		if err == nil {
			t.Errorf("signers %d of %d, nil nonces %t: no error", c.ids, c.party.t, c.others == nil)
		}
	}

	// Functions of lists with one element for each participant or signer.
	r := newRound(t, p, "message", nil, 0, 1, 2)
	partials := r.sign(t)
	g := newGeneration(t, 3, 5)
	received := g.shares(t)[0]
	unstarted := must(frost.StartKeyGen(0, 3, 5, nil))(t)
	contributions := slices.Clone(g.contributions)
	contributions[0] = unstarted.Contribution()
	wrongLengths(t, "VerifyPartials: nonces", r.public, func(n []*frost.PublicNonce) error {
		return r.session.VerifyPartials(n, partials)
	})
	wrongLengths(t, "VerifyPartials", partials, func(s [][]byte) error {
		return r.session.VerifyPartials(r.public, s)
	})
	wrongLengths(t, "Aggregate", partials, func(s [][]byte) error {
		_, err := r.session.Aggregate(s)
		return err
	})
	wrongLengths(t, "NewSessionRFC9591", r.public, func(n []*frost.PublicNonce) error {
		_, err := frost.NewSessionRFC9591(p.signers(t, 0, 1, 2), n, nil)
		return err
	})
	wrongLengths(t, "Shares", contributions, func(c []*frost.Contribution) error {
		_, err := unstarted.Shares(c)
		return err
	})
	wrongLengths(t, "Finish", received, func(s []*koblitz.PrivateKey) error {
		_, err := g.states[0].Finish(s)
		return err
	})
}

// wrongLengths checks that f refuses lists that are shorter or longer than good, and accepts good.
func wrongLengths[T any](t *testing.T, name string, good []T, f func([]T) error) {
	t.Helper()
	longer := append(slices.Clone(good), good[0])
	for _, bad := range [][]T{nil, {}, good[:1], good[:len(good)-1], longer} {
		if f(bad) == nil {
			t.Errorf("%s of %d elements: no error", name, len(bad))
		}
	}
	if err := f(good); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
