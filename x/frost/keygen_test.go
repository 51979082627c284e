package frost_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/frost"
)

// A generation is a distributed key generation in the test's hands.
type generation struct {
	states        []*frost.KeyGen
	contributions []*frost.Contribution
}

func newGeneration(t testing.TB, threshold, n int) *generation {
	t.Helper()
	g := new(generation)
	for id := range n {
		k := must(frost.StartKeyGen(uint32(id), threshold, n, nil))(t)
		g.states = append(g.states, k)
		g.contributions = append(g.contributions, k.Contribution())
	}
	return g
}

// shares returns the shares that all participants send, by receiver and by sender.
func (g *generation) shares(t testing.TB) [][]*koblitz.PrivateKey {
	t.Helper()
	received := make([][]*koblitz.PrivateKey, len(g.states))
	for _, k := range g.states {
		for i, share := range must(k.Shares(g.contributions))(t) {
			received[i] = append(received[i], share)
		}
	}
	return received
}

func TestKeyGeneration(t *testing.T) {
	for _, size := range []struct{ t, n int }{{1, 1}, {1, 2}, {2, 3}, {3, 3}} {
		g := newGeneration(t, size.t, size.n)
		received := g.shares(t)
		p := &party{t: size.t, n: size.n}
		var first *frost.KeyShare
		for i, k := range g.states {
			result := must(k.Finish(received[i]))(t)
			if i == 0 {
				first = result
			}
			if result.ID != uint32(i) || result.Transcript != first.Transcript ||
				!bytes.Equal(result.Commitment.Bytes(), first.Commitment.Bytes()) {
				t.Errorf("%d of %d: participant %d has another result", size.t, size.n, i)
			}
			p.shares = append(p.shares, result.Share)
			if public := must(first.Commitment.PublicShare(uint32(i)))(t); !public.Equal(
				result.Share.PublicKey()) {
				t.Errorf("%d of %d: participant %d has another public share", size.t, size.n, i)
			}
		}
		p.key = must(first.Commitment.PublicKey())(t)
		var ids []uint32
		for i := range size.t {
			ids = append(ids, uint32(size.n-1-i))
		}
		r := newRound(t, p, "message", nil, ids...)
		signature := must(r.session.Aggregate(r.sign(t)))(t)
		if !schnorr.Verify(p.key.XOnlyPublicKey(), []byte("message"), signature) {
			t.Errorf("%d of %d: the signature is not valid", size.t, size.n)
		}
	}
}

// Each step works once, and after the step before it.
func TestStepsOfKeyGeneration(t *testing.T) {
	g := newGeneration(t, 2, 2)
	k := g.states[0]
	if _, err := k.Finish(nil); err == nil {
		t.Error("the third step comes before the second")
	}
	received := g.shares(t)
	if _, err := k.Shares(g.contributions); err == nil {
		t.Error("the second step works twice")
	}
	must(k.Finish(received[0]))(t)
	if _, err := k.Finish(received[0]); err == nil {
		t.Error("the third step works twice")
	}
	if k.Contribution() != nil {
		t.Error("the state is still there")
	}
	for _, c := range []struct {
		id   uint32
		t, n int
	}{{2, 2, 2}, {1<<32 - 1, 1, 1}, {0, 0, 1}, {0, 2, 1}} {
		if _, err := frost.StartKeyGen(c.id, c.t, c.n, nil); err == nil {
			t.Errorf("participant %d, %d of %d: no error", c.id, c.t, c.n)
		}
	}
}

func TestHostileContributions(t *testing.T) {
	g := newGeneration(t, 2, 4)
	good := g.contributions
	encoded := good[1].Bytes()
	z := must(new(group.Scalar).SetBytes(encoded[len(encoded)-32:]))(t)
	one := new(group.Scalar).SetUint64(1)
	wrongProof := append(slices.Clone(encoded[:len(encoded)-32]), z.Add(z, one).Bytes()...)

	// The last participant wants the shared key to be its own, by a constant term from which the
	// others' are subtracted. It does not know that constant term's logarithm.
	var rogue group.Point
	must(rogue.SetBytes(encoded[:33]))(t)
	for _, j := range []int{0, 2, 3} {
		var p group.Point
		must(p.SetBytes(good[j].Bytes()[:33]))(t)
		rogue.Sub(&rogue, &p)
	}
	rogueKey := append(rogue.Bytes(), encoded[33:]...)

	short := must(frost.StartKeyGen(1, 1, 4, nil))(t).Contribution()
	long := must(frost.StartKeyGen(1, 3, 4, nil))(t).Contribution()
	replayed := must(frost.StartKeyGen(1, 2, 4, []byte("another")))(t).Contribution()
	otherID := must(frost.StartKeyGen(3, 2, 4, nil))(t).Contribution()
	for what, bad := range map[string]*frost.Contribution{
		"nil":                       nil,
		"a zero value":              new(frost.Contribution),
		"a wrong proof":             must(frost.ParseContribution(wrongProof))(t),
		"a rogue key":               must(frost.ParseContribution(rogueKey))(t),
		"a copy of another's":       good[2],
		"a polynomial of less":      short,
		"a polynomial of more":      long,
		"another participant's own": otherID,
		"of another key generation": replayed,
	} {
		changed := slices.Clone(good)
		changed[1] = bad
		_, err := g.states[0].Shares(changed)
		t.Run(what, func(t *testing.T) { blamed(t, err, 1) })
	}
	swapped := []*frost.Contribution{good[0], good[2], good[1], good[3]}
	_, err := g.states[0].Shares(swapped)
	blamed(t, err, 1, 2)
	// The errors of two proofs cancel in a sum without random factors.
	encoded = good[2].Bytes()
	z = must(new(group.Scalar).SetBytes(encoded[len(encoded)-32:]))(t)
	cancelling := slices.Concat(encoded[:len(encoded)-32], z.Sub(z, one).Bytes())
	changed := slices.Clone(good)
	changed[1] = must(frost.ParseContribution(wrongProof))(t)
	changed[2] = must(frost.ParseContribution(cancelling))(t)
	_, err = g.states[0].Shares(changed)
	blamed(t, err, 1, 2)
	_, err = g.states[0].Shares([]*frost.Contribution{good[1], good[1], good[2], good[3]})
	if err == nil || !strings.Contains(err.Error(), "own contribution") {
		t.Errorf("the participant's own contribution was replaced: %v", err)
	}
	if _, err := g.states[0].Shares(good[:3]); err == nil {
		t.Error("3 contributions of 4 are accepted")
	}
	g.shares(t) // the refused calls changed nothing
}

func TestHostileShares(t *testing.T) {
	g := newGeneration(t, 2, 3)
	received := g.shares(t)
	other := newGeneration(t, 2, 3)
	foreign := other.shares(t)
	for what, bad := range map[string]*koblitz.PrivateKey{
		"nil":                               nil,
		"a zero value":                      new(koblitz.PrivateKey),
		"the share of another participant":  received[1][2],
		"the share of another sender":       received[0][1],
		"a share of another key generation": foreign[0][2],
		"the negative of the share":         received[0][2].Negate(),
	} {
		changed := slices.Clone(received[0])
		changed[2] = bad
		_, err := g.states[0].Finish(changed)
		t.Run(what, func(t *testing.T) { blamed(t, err, 2) })
	}
	if _, err := g.states[0].Finish(received[0][:2]); err == nil {
		t.Error("2 shares of 3 are accepted")
	}
	must(g.states[0].Finish(received[0]))(t)
}

// Two of three participants choose the last coefficient so that all participants' add up to 0. They
// do not know its logarithm. But share is a valid share for the third, because the coefficient in
// the middle makes the equation of its check hold. Two shares would then determine the key.
func TestCancelledCoefficient(t *testing.T) {
	g := newGeneration(t, 3, 3)
	points := func(c *frost.Contribution) (p [3]group.Point) {
		for i := range p {
			must(p[i].SetBytes(c.Bytes()[33*i:][:33]))(t)
		}
		return p
	}
	first, second := points(g.contributions[0]), points(g.contributions[1])
	secret, nonce, share := group.RandomScalar(), group.RandomScalar(), group.RandomScalar()
	var rogue [3]group.Point
	rogue[0].ScalarBaseMult(secret)
	rogue[2].Negate(rogue[2].Add(&first[2], &second[2]))
	rogue[1].Sub(rogue[1].ScalarBaseMult(share), &rogue[0])
	rogue[1].Sub(&rogue[1], &rogue[2])
	var b []byte
	for i := range rogue {
		b = rogue[i].AppendBytes(b)
	}
	r := new(group.Point).ScalarBaseMult(nonce).Bytes()
	z := new(group.Scalar)
	input := slices.Concat(z.SetUint64(3).Bytes(), b[:33], r)
	must(z.HashToScalar(input, []byte("FROST-secp256k1-SHA256-v1dkg")))(t)
	z.Add(z.Mul(z, secret), nonce)
	g.contributions[2] = must(frost.ParseContribution(slices.Concat(b, r, z.Bytes())))(t)

	if err := must(frost.ParseCommitment(b))(t).Check(0, must(share.PrivateKey())(t)); err != nil {
		t.Error(err)
	}
	_, err := g.states[0].Shares(g.contributions)
	if err == nil || !strings.Contains(err.Error(), "point 2 of the commitments") {
		t.Errorf("the error is %v", err)
	}
}

// A participant who sends two contributions is found by comparison of the transcripts.
func TestTranscript(t *testing.T) {
	g := newGeneration(t, 1, 2)
	changed := must(frost.StartKeyGen(1, 1, 2, nil))(t)
	toFirst := []*frost.Contribution{g.contributions[0], changed.Contribution()}
	mine := must(g.states[0].Shares(toFirst))(t)
	theirs := must(g.states[1].Shares(g.contributions))(t)
	changedShares := must(changed.Shares(toFirst))(t)
	first := must(g.states[0].Finish([]*koblitz.PrivateKey{mine[0], changedShares[0]}))(t)
	second := must(g.states[1].Finish([]*koblitz.PrivateKey{mine[1], theirs[1]}))(t)
	if first.Transcript == second.Transcript {
		t.Error("the transcripts are equal")
	}
}

// The participants' keys may add up to the identity only if one of them does not know its secret;
// commitments to such a key give no public key.
func TestCommitmentErrors(t *testing.T) {
	p := newParty(t, 2, 3)
	b := p.commitment.Bytes()
	for _, c := range []struct {
		b    []byte
		want string
	}{
		{nil, "0 bytes"}, {b[:65], "65 bytes"}, {b[:1], "1 bytes"},
		{append(slices.Clone(b[:33]), make([]byte, 33)...), "point 1: the identity"},
		{append(bytes.Repeat([]byte{0xff}, 33), b[33:]...), "point 0"},
	} {
		if _, err := frost.ParseCommitment(c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if err := p.commitment.Check(1, p.shares[0]); err == nil {
		t.Error("the share of another participant passes")
	}
	if err := p.commitment.Check(1, nil); err == nil {
		t.Error("a nil share passes")
	}
	// x² − 1 has the value 0 at the abscissa 1, so participant 0's share is the identity.
	one := koblitz.GenerateKey().PublicKey()
	root := must(frost.ParseCommitment(append(one.Negate().Bytes(), one.Bytes()...)))(t)
	if _, err := root.PublicShare(0); err == nil {
		t.Error("the identity is a public share")
	}
}

// Every encoding that a parser accepts is the one that Bytes returns.
func FuzzParse(f *testing.F) {
	g := newGeneration(f, 2, 2)
	_, public := nonces(f, 1)
	f.Add(g.contributions[0].Bytes())
	f.Add(public[0].Bytes())
	f.Add(make([]byte, 66))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{2}, 131))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := frost.ParsePublicNonce(b); err == nil && !bytes.Equal(n.Bytes(), b) {
			t.Error("public nonce")
		}
		if n, err := frost.ParseAggregateNonce(b); err == nil && !bytes.Equal(n.Bytes(), b) {
			t.Error("aggregate nonce")
		}
		if c, err := frost.ParseCommitment(b); err == nil && !bytes.Equal(c.Bytes(), b) {
			t.Error("commitment")
		}
		if c, err := frost.ParseContribution(b); err == nil && !bytes.Equal(c.Bytes(), b) {
			t.Error("contribution")
		}
		if p, err := frost.ParseRepairPart(b); err == nil && !bytes.Equal(p.Bytes(), b) {
			t.Error("part of a repair")
		}
	})
}

// FuzzPartials gives a session any partial signatures, nonces and tweaks. A valid signature needs
// the secret shares.
func FuzzPartials(f *testing.F) {
	p := newParty(f, 2, 2)
	signers := p.signers(f, 0, 1)
	_, public := nonces(f, 2)
	f.Add(public[0].Bytes(), make([]byte, 32), make([]byte, 32), make([]byte, 32), false)
	f.Add(make([]byte, 66), bytes.Repeat([]byte{0xff}, 32), []byte{}, []byte{1}, true)
	f.Fuzz(func(t *testing.T, nonce, first, second, tweak []byte, xOnly bool) {
		sum, err := frost.ParseAggregateNonce(nonce)
		if err != nil {
			return
		}
		session, err := frost.NewSession(signers, sum, []frost.Tweak{{tweak, xOnly}}, []byte("m"))
		if err != nil {
			return
		}
		partials := [][]byte{first, second}
		if session.VerifyPartials(public, partials) == nil {
			t.Error("partial signatures are forged")
		}
		if _, err := session.Aggregate(partials); err == nil {
			t.Error("a signature is forged")
		}
	})
}

// FuzzVerifyRFC9591 verifies any signature. A valid one needs the secret key.
func FuzzVerifyRFC9591(f *testing.F) {
	key := koblitz.GenerateKey().PublicKey()
	f.Add([]byte("message"), append(key.Bytes(), make([]byte, 32)...))
	f.Add([]byte{}, make([]byte, 65))
	f.Fuzz(func(t *testing.T, message, signature []byte) {
		if frost.VerifyRFC9591(key, message, signature) {
			t.Error("a signature is forged")
		}
	})
}
