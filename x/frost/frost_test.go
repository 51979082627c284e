package frost_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/frost"
)

// must returns a function that fails the test if err is not nil, and otherwise returns v.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A party is a group of participants whose shares a dealer made.
type party struct {
	t, n       int
	shares     []*koblitz.PrivateKey
	commitment *frost.Commitment
	key        *koblitz.PublicKey
}

func newParty(t testing.TB, threshold, n int) *party {
	t.Helper()
	shares, c, err := frost.Deal(koblitz.GenerateKey(), threshold, n)
	if err != nil {
		t.Fatal(err)
	}
	return &party{threshold, n, shares, c, must(c.PublicKey())(t)}
}

// signers returns the participants ids as signers.
func (p *party) signers(t testing.TB, ids ...uint32) *frost.Signers {
	t.Helper()
	var public []*koblitz.PublicKey
	for _, id := range ids {
		public = append(public, p.shares[id].PublicKey())
	}
	return must(frost.NewSigners(p.t, p.n, ids, public, p.key))(t)
}

// nonces returns new nonces for a number of signers.
func nonces(t testing.TB, n int) (secret []*frost.SecretNonce, public []*frost.PublicNonce) {
	t.Helper()
	for range n {
		nonce := must(frost.GenerateNonce(nil))(t)
		secret, public = append(secret, nonce), append(public, nonce.Public())
	}
	return secret, public
}

// A round is a session with the nonces of its signers.
type round struct {
	party   *party
	ids     []uint32
	session *frost.Session
	secret  []*frost.SecretNonce
	public  []*frost.PublicNonce
}

func newRound(t testing.TB, p *party, message string, tweaks []frost.Tweak, ids ...uint32) *round {
	t.Helper()
	r := &round{party: p, ids: ids}
	r.secret, r.public = nonces(t, len(ids))
	sum := must(frost.AggregateNonces(r.public))(t)
	r.session = must(frost.NewSession(p.signers(t, ids...), sum, tweaks, []byte(message)))(t)
	return r
}

// sign returns the partial signatures of all signers.
func (r *round) sign(t testing.TB) (partials [][]byte) {
	t.Helper()
	for i, id := range r.ids {
		partials = append(partials, must(r.session.Sign(r.secret[i], id, r.party.shares[id]))(t))
	}
	return partials
}

// blamed fails the test unless err blames exactly the participants ids.
func blamed(t *testing.T, err error, ids ...uint32) {
	t.Helper()
	var blame *frost.BlameError
	if !errors.As(err, &blame) || !slices.Equal(blame.IDs, ids) {
		t.Errorf("error %v, want blame for %d", err, ids)
	}
}

// Every set of at least t signers signs, and the signature is one of BIP-340.
func TestSigning(t *testing.T) {
	for _, size := range []struct{ t, n int }{{1, 1}, {1, 3}, {2, 3}, {3, 4}, {4, 4}} {
		p := newParty(t, size.t, size.n)
		for set := 1; set < 1<<size.n; set++ {
			var ids []uint32
			for id := range size.n {
				if set>>id&1 == 1 {
					ids = append([]uint32{uint32(id)}, ids...) // not in ascending order
				}
			}
			if len(ids) < size.t {
				continue
			}
			r := newRound(t, p, "message", nil, ids...)
			partials := r.sign(t)
			if err := r.session.VerifyPartials(r.public, partials); err != nil {
				t.Errorf("%d of %d, signers %d: %v", size.t, size.n, ids, err)
			}
			signature := must(r.session.Aggregate(partials))(t)
			if !schnorr.Verify(p.key.XOnlyPublicKey(), []byte("message"), signature) {
				t.Errorf("%d of %d, signers %d: the signature is not valid", size.t, size.n, ids)
			}
		}
	}
}

// With tweaks of both kinds, the signature verifies under the key that package koblitz derives.
func TestTweaks(t *testing.T) {
	for i := range 16 { // keys and results with even and odd y coordinates
		p := newParty(t, 2, 3)
		plain := schnorr.TaggedHash("test", []byte{byte(i)})
		child := must(p.key.TweakAdd(plain[:]))(t)
		output := must(child.XOnlyPublicKey().TaprootTweak(nil))(t)
		x := child.XOnlyPublicKey().Bytes()
		tap := schnorr.TaggedHash("TapTweak", x)
		tweaks := []frost.Tweak{{Value: plain[:]}, {Value: tap[:], XOnly: true}}
		if got := must(frost.Tweaked(p.key, tweaks))(t); !got.Equal(output) {
			t.Errorf("the tweaked key is %v, want %v", got, output)
		}
		r := newRound(t, p, "spend", tweaks, 0, 2)
		signature := must(r.session.Aggregate(r.sign(t)))(t)
		if !schnorr.Verify(output.XOnlyPublicKey(), []byte("spend"), signature) {
			t.Error("the signature is not valid under the taproot output key")
		}
		if !r.session.PublicKey().XOnlyPublicKey().Equal(output.XOnlyPublicKey()) {
			t.Error("the session has another key")
		}
	}
}

func TestDeterministicSigning(t *testing.T) {
	p := newParty(t, 2, 3)
	signers := p.signers(t, 0, 2)
	secret, public := nonces(t, 1)
	others := must(frost.AggregateNonces(public))(t)
	message := []byte("message")
	mine, partial, err := frost.SignDeterministically(signers, others, nil, message, 2, p.shares[2],
		make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	all := []*frost.PublicNonce{public[0], mine}
	session := must(frost.NewSession(signers, must(frost.AggregateNonces(all))(t), nil, message))(t)
	partials := [][]byte{must(session.Sign(secret[0], 0, p.shares[0]))(t), partial}
	if err := session.VerifyPartials(all, partials); err != nil {
		t.Error(err)
	}
	for _, random := range [][]byte{{}, make([]byte, 31)} {
		if _, _, err := frost.SignDeterministically(
			signers, others, nil, message, 2, p.shares[2], random); err == nil {
			t.Errorf("%d random bytes are accepted", len(random))
		}
	}
}

// A nonce signs once, also if many goroutines use it at the same time.
func TestNonceIsUsedOnce(t *testing.T) {
	p := newParty(t, 2, 2)
	r := newRound(t, p, "message", nil, 0, 1)
	var wg sync.WaitGroup
	results := make(chan error, 16)
	for range cap(results) {
		wg.Go(func() {
			_, err := r.session.Sign(r.secret[0], 0, p.shares[0])
			results <- err
		})
	}
	wg.Wait()
	close(results)
	signed := 0
	for err := range results {
		if err == nil {
			signed++
		}
	}
	if signed != 1 {
		t.Errorf("a nonce signed %d times", signed)
	}
	r.secret[1].Zeroize()
	if _, err := r.session.Sign(r.secret[1], 1, p.shares[1]); err == nil {
		t.Error("a zeroized nonce signs")
	}
}

// A refused call does not consume the nonce.
func TestRefusedSigning(t *testing.T) {
	p := newParty(t, 2, 3)
	r := newRound(t, p, "message", nil, 0, 1)
	zero := new(koblitz.PrivateKey)
	for _, c := range []struct {
		id    uint32
		share *koblitz.PrivateKey
		want  string
	}{
		{2, p.shares[2], "participant 2 is not among the signers"},
		{7, p.shares[0], "participant 7 is not among the signers"},
		{0, p.shares[1], "not that of participant 0"},
		{0, p.shares[0].Negate(), "not that of participant 0"},
		{0, zero, "secret share"},
		{0, nil, "secret share"},
	} {
		_, err := r.session.Sign(r.secret[0], c.id, c.share)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("participant %d: %v, want %q", c.id, err, c.want)
		}
	}
	r.sign(t)
}

// Wrong partial signatures, and only those, are blamed on their signers.
func TestBlame(t *testing.T) {
	p := newParty(t, 3, 5)
	r := newRound(t, p, "message", nil, 4, 0, 3, 1)
	partials := r.sign(t)
	one := new(group.Scalar).SetUint64(1)
	add := func(i int, d *group.Scalar) {
		s := must(new(group.Scalar).SetBytes(partials[i]))(t)
		partials[i] = s.Add(s, d).Bytes()
	}
	good := slices.Clone(partials)

	// The errors of two signers cancel, so the signature is valid. Only the random factors of
	// VerifyPartials tell.
	add(0, one)
	add(2, new(group.Scalar).Negate(one))
	blamed(t, r.session.VerifyPartials(r.public, partials), 4, 3)
	if _, err := r.session.Aggregate(partials); err != nil {
		t.Errorf("errors that cancel: %v", err)
	}

	partials = slices.Clone(good)
	add(1, one)
	blamed(t, r.session.VerifyPartials(r.public, partials), 0)
	if _, err := r.session.Aggregate(partials); err == nil {
		t.Error("a signature that is not valid is returned")
	}

	order := bytes.Repeat([]byte{0xff}, 32)
	for _, bad := range [][]byte{nil, order, good[3][:31]} {
		partials = slices.Clone(good)
		partials[3] = bad
		blamed(t, r.session.VerifyPartials(r.public, partials), 1)
		_, err := r.session.Aggregate(partials)
		blamed(t, err, 1)
	}

	swapped := slices.Clone(good)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	blamed(t, r.session.VerifyPartials(r.public, swapped), 4, 0)
}

// A partial signature is worth nothing in another session: with another message, other nonces, or
// other signers.
func TestReplay(t *testing.T) {
	p := newParty(t, 2, 3)
	r := newRound(t, p, "message", nil, 0, 1)
	partials := r.sign(t)
	sum := must(frost.AggregateNonces(r.public))(t)
	other := must(frost.NewSession(p.signers(t, 0, 1), sum, nil, []byte("other")))(t)
	blamed(t, other.VerifyPartials(r.public, partials), 0, 1)
	again := newRound(t, p, "message", nil, 0, 1)
	blamed(t, again.session.VerifyPartials(again.public, partials), 0, 1)
	if err := again.session.VerifyPartials(r.public, partials); err == nil ||
		!strings.Contains(err.Error(), "aggregate nonce") {
		t.Errorf("nonces of another session: %v", err)
	}
	elsewhere := must(frost.NewSession(p.signers(t, 0, 2), sum, nil, []byte("message")))(t)
	blamed(t, elsewhere.VerifyPartials(r.public, partials), 0, 2)
}

// Programs may overwrite the keys that they get. Signers and sessions keep theirs.
func TestKeysAreCopies(t *testing.T) {
	p := newParty(t, 1, 1)
	other := must(koblitz.GenerateKey().PublicKey().MarshalText())(t)
	for range 2 {
		r := newRound(t, p, "message", nil, 0)
		if err := r.session.PublicKey().UnmarshalText(other); err != nil {
			t.Fatal(err)
		}
		if _, err := r.session.Aggregate(r.sign(t)); err != nil {
			t.Error(err)
		}
	}
	key := must(frost.Tweaked(p.key, nil))(t)
	if err := key.UnmarshalText(other); err != nil || key.Equal(p.key) {
		t.Errorf("the argument of Tweaked was overwritten: %v", err)
	}
}

// Nonces that cancel give the identity as their sum. Signing continues, and verification blames the
// signer who does not know its nonce.
func TestCancellingNonces(t *testing.T) {
	p := newParty(t, 2, 2)
	secret, public := nonces(t, 1)
	negative := negate(t, public[0])
	all := []*frost.PublicNonce{public[0], negative}
	sum := must(frost.AggregateNonces(all))(t)
	if !bytes.Equal(sum.Bytes(), make([]byte, 66)) {
		t.Fatalf("the sum is %x", sum.Bytes())
	}
	parsed := must(frost.ParseAggregateNonce(sum.Bytes()))(t)
	session := must(frost.NewSession(p.signers(t, 0, 1), parsed, nil, []byte("message")))(t)
	partial := must(session.Sign(secret[0], 0, p.shares[0]))(t)
	blamed(t, session.VerifyPartials(all, [][]byte{partial, partial}), 1)
	if _, err := session.Aggregate([][]byte{partial, partial}); err == nil {
		t.Error("the signature is valid")
	}
}

// negate returns the nonce with both points negated.
func negate(t *testing.T, n *frost.PublicNonce) *frost.PublicNonce {
	t.Helper()
	b := n.Bytes()
	b[0], b[33] = b[0]^1, b[33]^1
	return must(frost.ParsePublicNonce(b))(t)
}

func TestNewSigners(t *testing.T) {
	p := newParty(t, 2, 3)
	other := newParty(t, 2, 3)
	public := func(ids ...uint32) (keys []*koblitz.PublicKey) {
		for _, id := range ids {
			keys = append(keys, p.shares[id].PublicKey())
		}
		return keys
	}
	for _, c := range []struct {
		t, n   int
		ids    []uint32
		shares []*koblitz.PublicKey
		key    *koblitz.PublicKey
		want   string
	}{
		{0, 3, []uint32{0, 1}, public(0, 1), p.key, "threshold 0"},
		{4, 3, []uint32{0, 1}, public(0, 1), p.key, "threshold 4"},
		{-1, -1, nil, nil, p.key, "threshold -1"},
		{2, 3, []uint32{0}, public(0), p.key, "signers: 1, want 2 to 3"},
		{2, 3, []uint32{0, 1, 2, 0}, public(0, 1, 2, 0), p.key, "signers: 4, want 2 to 3"},
		{2, 3, []uint32{0, 1}, public(0), p.key, "1 public shares for 2"},
		{2, 3, []uint32{1, 1}, public(1, 1), p.key, "identifiers 0 and 1 are equal"},
		{2, 3, []uint32{0, 3}, public(0, 1), p.key, "index 1: identifier 3, want less than 3"},
		{2, 3, []uint32{0, 1<<32 - 1}, public(0, 1), p.key, "index 1: identifier 4294967295"},
		{2, 3, []uint32{0, 1}, []*koblitz.PublicKey{public(0)[0], nil}, p.key, "index 1: public share"},
		{2, 3, []uint32{0, 1}, public(0, 1), new(koblitz.PublicKey), "threshold public key"},
		{2, 3, []uint32{0, 1}, public(0, 1), nil, "threshold public key"},
		{2, 3, []uint32{0, 1}, public(0, 1), other.key, "not those of the threshold public key"},
		{2, 3, []uint32{0, 1}, public(1, 0), p.key, "not those of the threshold public key"},
		{2, 3, []uint32{0, 2}, public(0, 1), p.key, "not those of the threshold public key"},
	} {
		_, err := frost.NewSigners(c.t, c.n, c.ids, c.shares, c.key)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	// Shares whose sum is the identity.
	zero := []*koblitz.PublicKey{p.key, p.key.Negate()}
	if _, err := frost.NewSigners(1, 2, []uint32{0, 1}, zero, p.key); err == nil {
		t.Error("shares of another key are accepted")
	}
}

func TestSessionErrors(t *testing.T) {
	p := newParty(t, 2, 3)
	signers := p.signers(t, 0, 1)
	_, public := nonces(t, 2)
	sum := must(frost.AggregateNonces(public))(t)
	big := bytes.Repeat([]byte{0xff}, 32)
	undo := new(group.Scalar)
	for _, c := range []struct {
		signers *frost.Signers
		nonce   *frost.AggregateNonce
		tweaks  []frost.Tweak
		want    string
	}{
		{nil, sum, nil, "signers"},
		{new(frost.Signers), sum, nil, "signers"},
		{signers, nil, nil, "aggregate nonce"},
		{signers, new(frost.AggregateNonce), nil, "aggregate nonce"},
		{signers, sum, []frost.Tweak{{Value: undo.Bytes()}, {Value: big}}, "tweak 1"},
		{signers, sum, []frost.Tweak{{Value: big[:31]}}, "tweak 0"},
		{signers, sum, []frost.Tweak{{}}, "tweak 0"},
	} {
		_, err := frost.NewSession(c.signers, c.nonce, c.tweaks, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	session := must(frost.NewSession(signers, sum, nil, nil))(t)
	for _, err := range []error{
		session.VerifyPartials(public[:1], make([][]byte, 2)),
		session.VerifyPartials(public, make([][]byte, 1)),
		session.VerifyPartials([]*frost.PublicNonce{public[0], nil}, make([][]byte, 2)),
		session.VerifyPartials([]*frost.PublicNonce{public[0], {}}, make([][]byte, 2)),
	} {
		var blame *frost.BlameError
		if err == nil || errors.As(err, &blame) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := session.Aggregate(make([][]byte, 1)); err == nil {
		t.Error("one partial signature of two is enough")
	}
	if _, err := frost.AggregateNonces(nil); err == nil {
		t.Error("there is a sum of no nonces")
	}
}

// A tweak that takes the threshold public key to infinity is an error.
func TestTweakToInfinity(t *testing.T) {
	secret := koblitz.GenerateKey()
	_, err := frost.Tweaked(secret.PublicKey(), []frost.Tweak{{Value: secret.Negate().Bytes()}})
	if err == nil || !strings.Contains(err.Error(), "tweak 0") {
		t.Errorf("error %v", err)
	}
}

// Zero values and nil fail, and do not panic.
func TestZeroValues(t *testing.T) {
	p := newParty(t, 1, 1)
	r := newRound(t, p, "message", nil, 0)
	for _, n := range []*frost.SecretNonce{nil, new(frost.SecretNonce)} {
		if _, err := r.session.Sign(n, 0, p.shares[0]); err == nil || n.Public() != nil {
			t.Error("a zero nonce signs")
		}
		n.Zeroize()
	}
	for _, s := range []*frost.Session{nil, new(frost.Session)} {
		_, signErr := s.Sign(r.secret[0], 0, p.shares[0])
		_, sumErr := s.Aggregate([][]byte{make([]byte, 32)})
		if signErr == nil || sumErr == nil || s.VerifyPartials(r.public, nil) == nil ||
			s.PublicKey() != nil {
			t.Error("a zero session works")
		}
	}
	for _, c := range []*frost.Commitment{nil, new(frost.Commitment)} {
		_, keyErr := c.PublicKey()
		_, shareErr := c.PublicShare(0)
		if keyErr == nil || shareErr == nil || c.Check(0, p.shares[0]) == nil ||
			c.Threshold() != 0 || len(c.Bytes()) != 0 {
			t.Error("a zero commitment works")
		}
	}
	for _, k := range []*frost.KeyGen{nil, new(frost.KeyGen)} {
		_, sharesErr := k.Shares(nil)
		_, finishErr := k.Finish(nil)
		if sharesErr == nil || finishErr == nil || k.Contribution() != nil {
			t.Error("a zero key generation works")
		}
		k.Zeroize()
	}
	for _, s := range []*frost.Signers{nil, new(frost.Signers)} {
		sum := must(frost.AggregateNonces(r.public))(t)
		if _, err := frost.NewSession(s, sum, nil, nil); err == nil || len(s.IDs()) != 0 {
			t.Error("zero signers work")
		}
	}
	if text := (*frost.BlameError)(nil).Error(); strings.Contains(text, "of participants") {
		t.Errorf("a nil error says %q", text)
	}
	var n *frost.PublicNonce
	var a *frost.AggregateNonce
	var c *frost.Contribution
	if n.Bytes() != nil || a.Bytes() != nil || c.Bytes() != nil {
		t.Error("nil has an encoding")
	}
	if frost.VerifyRFC9591(nil, nil, make([]byte, 65)) {
		t.Error("a zero signature is valid")
	}
	if _, _, err := frost.Deal(new(koblitz.PrivateKey), 1, 1); err == nil {
		t.Error("a zero key is dealt")
	}
	if _, _, err := frost.Deal(koblitz.GenerateKey(), 2, 1); err == nil {
		t.Error("2 of 1")
	}
	if _, err := frost.GenerateNonce(&frost.NonceOptions{Share: new(koblitz.PrivateKey)}); err == nil {
		t.Error("a zero share is accepted")
	}
	if _, err := frost.GenerateNonce(
		&frost.NonceOptions{PublicShare: new(koblitz.PublicKey)}); err == nil {
		t.Error("a zero public share is accepted")
	}
	if _, err := frost.GenerateNonce(
		&frost.NonceOptions{Key: new(koblitz.XOnlyPublicKey)}); err == nil {
		t.Error("a zero key is accepted")
	}
	if _, err := frost.GenerateNonceRFC9591(nil); err == nil {
		t.Error("a nil share is accepted")
	}
}
