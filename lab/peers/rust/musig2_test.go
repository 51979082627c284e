//go:build rust

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
	rounds(t, count(60, 150, 5000), kinds, func(r *round) {
		m := &musigRound{round: r, message: randomMessage(r)}
		m.aggregateKeys()
		m.tweak()
		m.sign()
		m.combine()
		m.forge()
		m.cancel()
	})
}

// randomMessage returns a message of up to 1,000 bytes, often one that ends near the end of a block
// of SHA-256.
func randomMessage(r *round) []byte {
	lengths := []int{0, 1, 31, 32, 33, 55, 56, 63, 64, 65, r.IntN(1001)}
	return reference.Bytes(r.Rand, lengths[r.IntN(len(lengths))])
}

// aggregateKeys draws 2 to 8 keys; two of them may be equal.
func (m *musigRound) aggregateKeys() {
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
	m.expectKey()
}

// encoded returns a list of a request.
func encoded[T interface{ Bytes() []byte }](all []T) string {
	var items [][]byte
	for _, x := range all {
		items = append(items, x.Bytes())
	}
	return list(items...)
}

func (m *musigRound) expectKey() {
	m.expect(words(m.aggregate.PublicKey()), "musig", "key", m.context)
}

// tweak applies up to three tweaks: plain ones, x-only ones and those of BIP-341. Now and then it
// tries a number that is not below n.
func (m *musigRound) tweak() {
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
			m.refuses(nil, "musig", "key", m.context)
			m.context[1] = list(tweaks...)
			continue
		}
		m.seen["tweak "+string(rune('0'+kind))]++
		tweaks, m.aggregate = all, next
		m.expectKey()
	}
}

// sign makes the nonces and the partial signatures of all signers.
func (m *musigRound) sign() {
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
			secrets[i], made[i] = m.nonce(i)
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
			m.Fatal(err)
		}
	}
	m.start(secrets, made)
	if i := deterministic; i >= 0 {
		m.verify(i, m.partials[i], true)
	}
}

// nonce returns a nonce of signer i, and the words with which the crate makes the same.
func (m *musigRound) nonce(i int) (*musig2.SecretNonce, []string) {
	random, o := reference.Bytes(m.Rand, 32), new(musig2.NonceOptions)
	made := words(random, m.keys[i], "none", "none", "none")
	if m.IntN(2) == 0 {
		o.AggregateKey, made[2] = m.aggregate, m.aggregate.PublicKey().String()
	}
	if m.IntN(2) == 0 {
		o.Message, made[3] = musig2.NewInput(m.message), list(m.message)
	}
	if m.IntN(2) == 0 {
		extra := randomMessage(m.round)
		o.Extra, made[4] = musig2.NewInput(extra), list(extra)
	}
	var secret *musig2.SecretNonce
	m.given(random, func() {
		secret = reference.Must(musig2.GenerateNonce(m.keys[i], o))
	})
	m.expect(words(secret.PublicNonce()), "musig", "nonce", made)
	return secret, made
}

// start starts the session with the sum of the nonces. The signers with secret nonces sign.
func (m *musigRound) start(secrets []*musig2.SecretNonce, made [][]string) {
	m.sum = reference.Must(musig2.AggregateNonces(m.nonces...))
	m.expect(words(m.sum), "musig", "sum", encoded(m.nonces))
	m.session = reference.Must(musig2.NewSession(m.aggregate, m.sum, m.message))
	m.words = words(m.context, m.sum, m.message)
	for i, secret := range secrets {
		if secret != nil {
			m.partials[i] = reference.Must(m.session.Sign(secret, m.keys[i]))
			m.expect(words(m.partials[i]), "musig", "sign", m.words, made[i])
			m.verify(i, m.partials[i], true)
		}
	}
}

// verify checks that both sides accept a partial signature of signer i, or that both refuse it.
func (m *musigRound) verify(i int, partial *musig2.PartialSignature, valid bool) {
	if got := m.session.VerifyPartial(i, partial, m.nonces[i]); got != valid {
		m.Fatalf("signer %d: %v is valid: %t, want %t", i, partial, got, valid)
	}
	request := words("musig", "verify", m.words, m.public[i], m.nonces[i], partial)
	if valid {
		m.expect(nil, request)
	} else {
		m.refuses(nil, request)
	}
}

// combine checks the signature, and that both sides refuse it with one bit changed.
func (m *musigRound) combine() {
	if err := m.session.VerifyAll(m.partials, m.nonces); err != nil {
		m.Fatal(err)
	}
	signature := reference.Must(m.session.Aggregate(m.partials...))
	m.expect(words(signature), "musig", "combine", m.words, encoded(m.partials))
	m.checkSignature("musig", m.aggregate.PublicKey(), m.message, signature)
}

// forge replaces a partial signature, which both sides must refuse, and so the signature.
func (m *musigRound) forge() {
	i, forged := m.IntN(len(m.keys)), slices.Clone(m.partials)
	forged[i] = reference.Must(musig2.ParsePartialSignature(m.forgery(i, encodings(m.partials))))
	m.verify(i, forged[i], false)
	var invalid *musig2.InvalidError
	err := m.session.VerifyAll(forged, m.nonces)
	if !errors.As(err, &invalid) || !slices.Equal(invalid.Signers, []int{i}) {
		m.Fatalf("forged partial signature of signer %d: %v", i, err)
	}
	m.refuseAll(forged)
}

func encodings[T interface{ Bytes() []byte }](all []T) (b [][]byte) {
	for _, x := range all {
		b = append(b, x.Bytes())
	}
	return b
}

// forgery returns an invalid partial signature of signer i: a random number, that of another
// signer, or the valid one negated or plus 1.
func (r *round) forgery(i int, partials [][]byte) []byte {
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
func (m *musigRound) refuseAll(partials []*musig2.PartialSignature) {
	if signature, err := m.session.Aggregate(partials...); err == nil {
		m.Fatalf("signature %x of %v", signature, partials)
	}
	m.refuses(nil, "musig", "combine", m.words, encoded(partials))
}

// cancel has the last signer choose its nonce so that one or both points of the aggregate nonce are
// infinity. The others sign, and their partial signatures are valid.
func (m *musigRound) cancel() {
	if m.IntN(4) > 0 {
		return
	}
	m.seen["infinity in the aggregate nonce"]++
	n := len(m.keys)
	secrets, made := make([]*musig2.SecretNonce, n-1), make([][]string, n-1)
	for i := range secrets {
		secrets[i], made[i] = m.nonce(i)
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
	m.start(secrets, made)
	m.verify(n-1, m.partials[n-1], false)
	m.refuseAll(m.partials)
}
