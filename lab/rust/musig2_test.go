package rust

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/musig2"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A musigRound is a session of MuSig2 that the crate computes too.
type musigRound struct {
	*round
	keys      []*koblitz.PrivateKey
	public    []*koblitz.PublicKey
	aggregate *musig2.AggregateKey
	context   []string // the words KEYS TWEAKS
	message   []byte
	nonces    []*musig2.PublicNonce
	sum       *musig2.AggregateNonce
	session   *musig2.Session
	words     []string // KEYS TWEAKS SUM MESSAGE
	partials  []*musig2.PartialSignature
}

// TestMuSig2 checks that package musig2 and the crate musig2 compute the same bytes in every step
// of random sessions, and that both refuse the same forgeries. Both get the same random bytes. So
// the test covers every mix of signers in Go and in Rust. The crate has no DeterministicSign, and
// verifies its partial signature.
func TestMuSig2(t *testing.T) {
	kinds := []string{"a key twice", "tweak 0", "tweak 1", "tweak 2", "refused tweak",
		"deterministic signer", "infinity in the aggregate nonce"}
	rounds(t, count(60, 150, 5000), kinds, func(t *testing.T, r *round) {
		m := &musigRound{round: r, message: randomMessage(r)}
		m.aggregateKeys(t)
		m.tweak(t)
		m.sign(t)
		m.combine(t)
		m.forge(t)
		m.cancel(t)
	})
}

// randomMessage returns a message of up to 1,000 bytes, often one that ends near the end of a block
// of SHA-256.
func randomMessage(r *round) []byte {
	lengths := []int{0, 1, 31, 32, 33, 55, 56, 63, 64, 65, r.IntN(1001)}
	return reference.Bytes(r.Rand, lengths[r.IntN(len(lengths))])
}

// aggregateKeys draws 2 to 8 keys; two of them may be equal.
func (m *musigRound) aggregateKeys(t *testing.T) {
	t.Helper()
	for range 2 + m.IntN(7) {
		m.keys = append(m.keys, randomKey(m.Rand))
	}
	if m.IntN(4) == 0 {
		m.seen["a key twice"]++
		for range 1 + m.IntN(len(m.keys)-1) {
			m.keys[m.IntN(len(m.keys)-1)] = m.keys[len(m.keys)-1]
		}
	}
	m.Shuffle(len(m.keys), func(i, j int) { m.keys[i], m.keys[j] = m.keys[j], m.keys[i] })
	for _, k := range m.keys {
		m.public = append(m.public, k.PublicKey())
	}
	m.aggregate = reference.Must(musig2.AggregateKeys(m.public...))
	m.context = []string{encoded(m.public), ""}
	m.expectKey(t)
}

// encoded returns a list of a request.
func encoded[T interface{ Bytes() []byte }](all []T) string {
	var items [][]byte
	for _, x := range all {
		items = append(items, x.Bytes())
	}
	return list(items...)
}

func (m *musigRound) expectKey(t *testing.T) {
	t.Helper()
	want := []string{m.aggregate.PublicKey().String()}
	m.expect(t, want, "musig", "key", m.context[0], m.context[1])
}

// tweak applies up to three tweaks: plain ones, x-only ones and those of BIP-341. Now and then it
// tries a number that is not below n.
func (m *musigRound) tweak(t *testing.T) {
	t.Helper()
	var tweaks [][]byte
	for range m.IntN(4) {
		kind, value := m.IntN(3), reference.Bytes(m.Rand, 32)
		switch m.IntN(10) {
		case 0:
			clear(value)
		case 1:
			value = bytes.Repeat([]byte{0xff}, 32)
		}
		var next *musig2.AggregateKey
		var err error
		switch kind {
		case 0:
			next, err = m.aggregate.TweakAdd(value)
		case 1:
			next, err = m.aggregate.TweakAddXOnly(value)
		case 2:
			value = value[:32*m.IntN(2)]
			next, err = m.aggregate.TaprootTweak(value)
		}
		all := append(slices.Clone(tweaks), slices.Concat([]byte{byte(kind)}, value))
		m.context[1] = list(all...)
		if err != nil {
			m.seen["refused tweak"]++
			m.refuses(t, nil, "musig", "key", m.context[0], m.context[1])
			m.context[1] = list(tweaks...)
			continue
		}
		m.seen["tweak "+string(rune('0'+kind))]++
		tweaks, m.aggregate = all, next
		m.expectKey(t)
	}
}

// sign makes the nonces and the partial signatures of all signers.
func (m *musigRound) sign(t *testing.T) {
	t.Helper()
	n := len(m.keys)
	secrets, made := make([]*musig2.SecretNonce, n), make([][]string, n)
	m.nonces, m.partials = make([]*musig2.PublicNonce, n), make([]*musig2.PartialSignature, n)
	deterministic := -1
	if m.IntN(4) == 0 {
		m.seen["deterministic signer"]++
		deterministic = m.IntN(n)
	}
	for i := range m.keys {
		if i != deterministic {
			secrets[i], made[i] = m.nonce(t, i)
			m.nonces[i] = secrets[i].PublicNonce()
		}
	}
	if i := deterministic; i >= 0 {
		others := reference.Must(musig2.AggregateNonces(slices.Concat(m.nonces[:i], m.nonces[i+1:])...))
		random := [][]byte{nil, reference.Bytes(m.Rand, 32)}[m.IntN(2)]
		var err error
		m.nonces[i], m.partials[i], err = musig2.DeterministicSign(m.keys[i], m.aggregate, others,
			m.message, random)
		if err != nil {
			t.Fatal(err)
		}
	}
	m.start(t)
	for i, key := range m.keys {
		if i != deterministic {
			m.partials[i] = reference.Must(m.session.Sign(secrets[i], key))
			request := slices.Concat([]string{"musig", "sign"}, m.words, made[i])
			m.expect(t, []string{m.partials[i].String()}, request...)
		}
		m.verify(t, i, m.partials[i], true)
	}
}

// nonce returns a nonce of signer i, and the words with which the crate makes the same.
func (m *musigRound) nonce(t *testing.T, i int) (*musig2.SecretNonce, []string) {
	t.Helper()
	random, o := reference.Bytes(m.Rand, 32), new(musig2.NonceOptions)
	words := []string{list(random), list(m.keys[i].Bytes()), "none", "none", "none"}
	if m.IntN(2) == 0 {
		o.AggregateKey, words[2] = m.aggregate, m.aggregate.PublicKey().String()
	}
	if m.IntN(2) == 0 {
		o.Message, words[3] = musig2.NewInput(m.message), list(m.message)
	}
	if m.IntN(2) == 0 {
		extra := randomMessage(m.round)
		o.Extra, words[4] = musig2.NewInput(extra), list(extra)
	}
	var secret *musig2.SecretNonce
	given(t, random, func() {
		secret = reference.Must(musig2.GenerateNonce(m.keys[i], o))
	})
	want := []string{secret.PublicNonce().String()}
	m.expect(t, want, append([]string{"musig", "nonce"}, words...)...)
	return secret, words
}

// start starts the session with the sum of the nonces.
func (m *musigRound) start(t *testing.T) {
	t.Helper()
	m.sum = reference.Must(musig2.AggregateNonces(m.nonces...))
	m.expect(t, []string{m.sum.String()}, "musig", "sum", encoded(m.nonces))
	m.session = reference.Must(musig2.NewSession(m.aggregate, m.sum, m.message))
	m.words = append(slices.Clone(m.context), m.sum.String(), list(m.message))
}

// verify checks that both sides accept a partial signature of signer i, or that both refuse it.
func (m *musigRound) verify(t *testing.T, i int, partial *musig2.PartialSignature, valid bool) {
	t.Helper()
	if got := m.session.VerifyPartial(i, partial, m.nonces[i]); got != valid {
		t.Fatalf("signer %d: %v is valid: %t, want %t", i, partial, got, valid)
	}
	request := slices.Concat([]string{"musig", "verify"}, m.words,
		[]string{m.public[i].String(), m.nonces[i].String(), partial.String()})
	if valid {
		m.expect(t, nil, request...)
	} else {
		m.refuses(t, nil, request...)
	}
}

// combine checks the signature, and that both sides refuse it with one bit changed.
func (m *musigRound) combine(t *testing.T) {
	t.Helper()
	if err := m.session.VerifyAll(m.partials, m.nonces); err != nil {
		t.Fatal(err)
	}
	signature := reference.Must(m.session.Aggregate(m.partials...))
	m.expect(t, []string{list(signature)},
		slices.Concat([]string{"musig", "combine"}, m.words, []string{encoded(m.partials)})...)
	checkBIP340(t, m.round, m.aggregate.PublicKey(), m.message, signature)
}

// checkBIP340 checks that package schnorr and the crate musig2 accept the signature, and refuse it
// with one bit changed.
func checkBIP340(t *testing.T, r *round, key *koblitz.PublicKey, message, signature []byte) {
	t.Helper()
	if !schnorr.Verify(key.XOnlyPublicKey(), message, signature) {
		t.Fatalf("signature %x of %x under %v: not valid", signature, message, key)
	}
	r.expect(t, nil, "musig", "valid", key.String(), list(message), list(signature))
	changed := slices.Clone(signature)
	changed[r.IntN(64)] ^= 1 << r.IntN(8)
	if schnorr.Verify(key.XOnlyPublicKey(), message, changed) {
		t.Fatalf("signature %x of %x under %v: valid", changed, message, key)
	}
	r.refuses(t, nil, "musig", "valid", key.String(), list(message), list(changed))
}

// forge replaces a partial signature, which both sides must refuse, and so the signature.
func (m *musigRound) forge(t *testing.T) {
	t.Helper()
	i, forged := m.IntN(len(m.keys)), slices.Clone(m.partials)
	forged[i] = reference.Must(musig2.ParsePartialSignature(m.forgery(t, i, encodings(m.partials))))
	m.verify(t, i, forged[i], false)
	var invalid *musig2.InvalidError
	err := m.session.VerifyAll(forged, m.nonces)
	if !errors.As(err, &invalid) || !slices.Equal(invalid.Signers, []int{i}) {
		t.Fatalf("forged partial signature of signer %d: %v", i, err)
	}
	m.refuseAll(t, forged)
}

func encodings[T interface{ Bytes() []byte }](all []T) (b [][]byte) {
	for _, x := range all {
		b = append(b, x.Bytes())
	}
	return b
}

// forgery returns an invalid partial signature of signer i: a random number, that of another
// signer, or the valid one negated or plus 1.
func (r *round) forgery(t *testing.T, i int, partials [][]byte) []byte {
	t.Helper()
	var s, one group.Scalar
	reference.Must(s.SetBytes(partials[i]))
	switch r.IntN(4) {
	case 0:
		return randomKey(r.Rand).Bytes()
	case 1:
		return partials[(i+1)%len(partials)]
	case 2:
		return s.Negate(&s).Bytes()
	}
	return s.Add(&s, one.SetUint64(1)).Bytes()
}

// refuseAll checks that neither side makes a signature from the partial signatures.
func (m *musigRound) refuseAll(t *testing.T, partials []*musig2.PartialSignature) {
	t.Helper()
	if signature, err := m.session.Aggregate(partials...); err == nil {
		t.Fatalf("signature %x of %v", signature, partials)
	}
	m.refuses(t, nil,
		slices.Concat([]string{"musig", "combine"}, m.words, []string{encoded(partials)})...)
}

// cancel has the last signer choose its nonce so that one or both points of the aggregate nonce are
// infinity. The others sign, and their partial signatures are valid.
func (m *musigRound) cancel(t *testing.T) {
	t.Helper()
	if m.IntN(4) > 0 {
		return
	}
	m.seen["infinity in the aggregate nonce"]++
	n := len(m.keys)
	secrets, made := make([]*musig2.SecretNonce, n-1), make([][]string, n-1)
	for i := range secrets {
		secrets[i], made[i] = m.nonce(t, i)
		m.nonces[i] = secrets[i].PublicNonce()
	}
	others := reference.Must(musig2.AggregateNonces(m.nonces[:n-1]...))
	last, which := m.nonces[n-1].Bytes(), 1+m.IntN(3)
	for j := range 2 {
		if b := others.Bytes()[33*j:][:33]; which>>j&1 == 1 {
			b[0] ^= 1 // negates the point
			copy(last[33*j:], b)
		}
	}
	m.nonces[n-1] = reference.Must(musig2.ParsePublicNonce(last))
	m.start(t)
	for i, secret := range secrets {
		m.partials[i] = reference.Must(m.session.Sign(secret, m.keys[i]))
		request := slices.Concat([]string{"musig", "sign"}, m.words, made[i])
		m.expect(t, []string{m.partials[i].String()}, request...)
		m.verify(t, i, m.partials[i], true)
	}
	m.verify(t, n-1, m.partials[n-1], false)
	m.refuseAll(t, m.partials)
}
