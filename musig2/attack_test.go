package musig2

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/schnorr"
)

// These tests are attempts of dishonest signers and aggregators.

// TestCancelingKey tries to cancel an honest key: a dishonest signer publishes the key X − P, where
// it knows the logarithm of X, and P is the key of the honest signer. The sum of both keys is X.
// The aggregate key must not be X, and the dishonest signer must not be able to sign for it alone.
func TestCancelingKey(t *testing.T) {
	honest, x := privateKey(0), privateKey(1)
	rogue := reference.Must(koblitz.CombineKeys(x.PublicKey(), honest.PublicKey().Negate()))
	k := reference.Must(AggregateKeys(honest.PublicKey(), rogue))
	if k.PublicKey().Equal(x.PublicKey()) || k.PublicKey().Equal(x.PublicKey().Negate()) {
		t.Error("the aggregate key belongs to the dishonest signer")
	}
	// Opposite keys do not cancel.
	if _, err := AggregateKeys(honest.PublicKey(), honest.PublicKey().Negate()); err != nil {
		t.Error(err)
	}
}

// TestCancelingNonces has the last signer choose nonces so that one or both of its points cancel
// the sum of all others, and points of the aggregate nonce are infinity. The honest signers sign,
// and the dishonest signer, who does not know the logarithms of its nonces, is blamed.
func TestCancelingNonces(t *testing.T) {
	for _, halves := range [][]int{{0}, {1}, {0, 1}} {
		p := newParty(4, []byte("message"), nil)
		sum := reference.Must(AggregateNonces(p.nonces[:3]...))
		rogue := &PublicNonce{valid: true, n: p.nonces[3].n}
		want := reference.Must(AggregateNonces(p.nonces...)).Bytes()
		for _, i := range halves {
			rogue.n[i].Neg(&sum.n[i]).Normalize()
			clear(want[33*i : 33*i+33])
		}
		p.nonces[3] = rogue
		infinity := reference.Must(AggregateNonces(p.nonces...))
		if !bytes.Equal(infinity.Bytes(), want) {
			t.Fatalf("the aggregate nonce is %v", infinity)
		}
		p.session = reference.Must(NewSession(p.key, infinity, p.msg))
		var g point.Affine
		if (p.session.values.R == *g.SetGenerator()) != (len(halves) == 2) {
			t.Error("the generator must replace infinity, and nothing else")
		}
		sigs := p.sign()[:3]
		sigs = append(sigs, reference.Must(ParsePartialSignature(make([]byte, 32))))
		if err := p.session.VerifyAll(sigs, p.nonces); !slices.Equal(blamed(err), []int{3}) {
			t.Errorf("the error is %v", err)
		}
		if _, err := p.session.Aggregate(sigs...); err == nil {
			t.Error("an invalid signature is returned")
		}
	}
}

// TestInfinityRefused checks that infinity is refused in the public nonce of a signer, and that in
// an aggregate nonce only the canonical encoding of infinity is accepted.
func TestInfinityRefused(t *testing.T) {
	good := newParty(1, nil, nil).nonces[0].Bytes()
	for _, at := range []int{0, 33} {
		b := slices.Clone(good)
		clear(b[at : at+33])
		_, err := ParsePublicNonce(b)
		sum, sumErr := ParseAggregateNonce(b)
		if err == nil || sumErr != nil || !bytes.Equal(sum.Bytes(), b) {
			t.Errorf("infinity as a public nonce: %v; in a sum: %v, %v", err, sum, sumErr)
		}
		b[at+32] = 1
		if _, err := ParseAggregateNonce(b); err == nil {
			t.Error("an encoding of infinity with other bytes is accepted")
		}
	}
}

// TestDeterministicOppositeKeys has an attacker ask for signatures under a key and under its
// negative, which results from another tweak. DeterministicSign takes the same nonce for both,
// because it depends on the x coordinate alone. So the partial signatures must be the same: two
// different ones would reveal the private key.
func TestDeterministicOppositeKeys(t *testing.T) {
	odd := 0
	for i := range 16 {
		key := privateKey(i)
		k := reference.Must(AggregateKeys(key.PublicKey(), privateKey(99).PublicKey()))
		if k.PublicKey().HasEvenY() {
			continue
		}
		odd++
		nonce := reference.Must(GenerateNonce(privateKey(99), nil))
		others := reference.Must(AggregateNonces(nonce.PublicNonce()))
		tweak := privateKey(50)
		a := reference.Must(k.TweakAddXOnly(tweak.Bytes()))
		b := reference.Must(k.TweakAdd(tweak.Negate().Bytes()))
		nonceA, sigA, errA := DeterministicSign(key, a, others, nil, nil)
		nonceB, sigB, errB := DeterministicSign(key, b, others, nil, nil)
		if !a.PublicKey().Equal(b.PublicKey().Negate()) || errA != nil || errB != nil ||
			!nonceA.Equal(nonceB) {
			t.Fatalf("nonces %v and %v, errors %v and %v", nonceA, nonceB, errA, errB)
		}
		if !sigA.Equal(sigB) {
			t.Errorf("one nonce makes %v and %v", sigA, sigB)
		}
	}
	if odd == 0 {
		t.Error("no key has an odd y coordinate")
	}
}

// of returns a party of some of the signers, who may take part several times.
func (p *party) of(signers ...int) *party {
	q := &party{msg: p.msg}
	for _, i := range signers {
		q.private, q.public = append(q.private, p.private[i]), append(q.public, p.public[i])
	}
	q.key = reference.Must(AggregateKeys(q.public...))
	q.begin()
	return q
}

// TestDuplicatedSigners lets one key take part several times. Each participation needs a nonce of
// its own, and the signature is valid.
func TestDuplicatedSigners(t *testing.T) {
	p := newParty(2, []byte("message"), nil)
	for _, keys := range [][]int{{0, 0}, {0, 1, 0}, {1, 1, 0, 0, 1}} {
		q := p.of(keys...)
		sigs := q.sign()
		if err := q.session.VerifyAll(sigs, q.nonces); err != nil {
			t.Error(err)
		}
		if !schnorr.Verify(q.key.XOnlyPublicKey(), q.msg, reference.Must(q.session.Aggregate(sigs...))) {
			t.Errorf("%v: the signature does not verify", keys)
		}
		// A repeated partial signature must not count for two signers.
		sigs[0] = sigs[len(sigs)-1]
		if _, err := q.session.Aggregate(sigs...); err == nil {
			t.Errorf("%v: a replayed partial signature is accepted", keys)
		}
	}
}

// TestMixedSessions replays partial signatures in sessions that differ in one part.
func TestMixedSessions(t *testing.T) {
	p := newParty(3, []byte("message"), nil)
	sigs := p.sign()
	tweaked := reference.Must(p.key.TweakAdd(bytes.Repeat([]byte{1}, 32)))
	fewer := reference.Must(AggregateKeys(p.public[0], p.public[1], p.public[1]))
	swapped := reference.Must(AggregateKeys(p.public[1], p.public[0], p.public[2]))
	nonce := reference.Must(AggregateNonces(p.nonces[0], p.nonces[1], p.nonces[1]))
	for name, s := range map[string]*Session{
		"another message":              reference.Must(NewSession(p.key, p.sum, []byte("messagf"))),
		"another tweak":                reference.Must(NewSession(tweaked, p.sum, p.msg)),
		"other signers":                reference.Must(NewSession(fewer, p.sum, p.msg)),
		"another order of the signers": reference.Must(NewSession(swapped, p.sum, p.msg)),
		"another nonce":                reference.Must(NewSession(p.key, nonce, p.msg)),
	} {
		for i, sig := range sigs {
			if s.VerifyPartial(i, sig, p.nonces[i]) {
				t.Errorf("%s: the partial signature of signer %d verifies", name, i)
			}
		}
		if err := s.VerifyAll(sigs, p.nonces); len(blamed(err)) != 3 {
			t.Errorf("%s: the error is %v", name, err)
		}
		if _, err := s.Aggregate(sigs...); err == nil {
			t.Errorf("%s: the partial signatures make a signature", name)
		}
	}
}

// TestOrder passes partial signatures and nonces to VerifyAll in an order that is not that of the
// keys. The error names the order and blames no signer, unless a partial signature is invalid.
func TestOrder(t *testing.T) {
	const both = "the public nonces and partial signatures are in another order"
	for _, n := range []int{2, 3, 4, 9} {
		p := newParty(n, []byte("message"), nil)
		good := p.sign()
		for list := range 3 {
			sigs, nonces := slices.Clone(good), slices.Clone(p.nonces)
			want := both
			switch list {
			case 0:
				slices.Reverse(sigs)
				slices.Reverse(nonces)
			case 1:
				sigs[0], sigs[n-1] = sigs[n-1], sigs[0]
				want = "the partial signatures are in another order than the keys: " +
					fmt.Sprintf("elements [0 %d] belong to signers [%d 0]", n-1, n-1)
			case 2:
				nonces = append(nonces[1:], nonces[0])
				want = "the public nonces are in another order"
			}
			err := p.session.VerifyAll(sigs, nonces)
			if blamed(err) != nil || !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%d signers: the error is %v, want %s", n, err, want)
			}
			if _, err := p.session.Aggregate(sigs...); err != nil {
				t.Errorf("%d signers: %v", n, err)
			}

			// VerifyAll must blame an invalid partial signature. It may also blame those that are
			// not at the places of their signers.
			sigs[n-1] = plus(sigs[n-1], one)
			err = p.session.VerifyAll(sigs, nonces)
			if !slices.Contains(blamed(err), n-1) ||
				n > 3 && !strings.Contains(err.Error(), want[:24]) {
				t.Errorf("%d signers: the error is %v", n, err)
			}
		}
	}
	// One signer sends the partial signature and nonce of an honest signer, and another one sends
	// no partial signature. No other order makes these valid.
	p := newParty(5, []byte("message"), nil)
	good := p.sign()
	sigs, nonces := slices.Clone(good), slices.Clone(p.nonces)
	sigs[0], nonces[0], sigs[4] = sigs[1], nonces[1], nil
	if err := p.session.VerifyAll(sigs, nonces); !slices.Equal(blamed(err), []int{0, 4}) {
		t.Errorf("the error is %v", err)
	}
	// Two signers with one key swap places with a third.
	q := p.of(0, 0, 1)
	sigs, nonces = q.sign(), q.nonces
	slices.Reverse(sigs)
	slices.Reverse(nonces)
	if err := q.session.VerifyAll(sigs, nonces); blamed(err) != nil ||
		!strings.Contains(fmt.Sprint(err), both) {
		t.Errorf("the error is %v", err)
	}
}

// TestWrongAggregateNonce has a dishonest aggregator send a sum that is not that of the nonces. The
// partial signatures are valid, so no signer is blamed.
func TestWrongAggregateNonce(t *testing.T) {
	p := newParty(3, []byte("message"), nil)
	p.sum = reference.Must(AggregateNonces(p.nonces[:2]...))
	p.session = reference.Must(NewSession(p.key, p.sum, p.msg))
	sigs := p.sign()
	if err := p.session.VerifyAll(sigs, p.nonces); err == nil || blamed(err) != nil {
		t.Errorf("the error is %v", err)
	}
	if _, err := p.session.Aggregate(sigs...); err == nil {
		t.Error("an invalid signature is returned")
	}
}

// TestCancelingErrors has two signers add opposite errors to their partial signatures. The
// signature is valid, and both signers are blamed: the random weights do not cancel.
func TestCancelingErrors(t *testing.T) {
	for _, n := range []int{2, 3, 50} {
		p := newParty(n, nil, nil)
		sigs := p.sign()
		var d scalar.Scalar
		d.SetUint64(5)
		sigs[0], sigs[n-1] = plus(sigs[0], &d), plus(sigs[n-1], new(scalar.Scalar).Neg(&d))
		if err := p.session.VerifyAll(sigs, p.nonces); !slices.Equal(blamed(err), []int{0, n - 1}) {
			t.Errorf("%d signers: the error is %v", n, err)
		}
		if _, err := p.session.Aggregate(sigs...); err != nil {
			t.Error(err)
		}
	}
}

// TestSignaturesWithoutKeys has all signers leave the terms of their private keys out of their
// partial signatures. Such a signature needs no private key, and no signer may be found valid.
func TestSignaturesWithoutKeys(t *testing.T) {
	for _, n := range []int{1, 2, 3, 50} {
		p := newParty(n, nil, nil)
		sigs := p.sign()
		all := make([]int, n)
		for i := range sigs {
			var c, d scalar.Scalar
			d.SetBytes((*[32]byte)(p.private[i].Bytes()))
			p.session.values.Factor(&c, &p.key.signers.coefficients[i])
			c.Mul(&c, &d)
			sigs[i], all[i] = plus(sigs[i], c.Neg(&c)), i
		}
		if err := p.session.VerifyAll(sigs, p.nonces); !slices.Equal(blamed(err), all) {
			t.Errorf("%d signers: the error is %v", n, err)
		}
	}
}

// TestOutOfRange passes numbers and lengths that are out of range.
func TestOutOfRange(t *testing.T) {
	p := newParty(2, nil, nil)
	sigs := p.sign()
	for _, i := range []int{-1, 2, math.MaxInt} {
		if p.session.VerifyPartial(i, sigs[0], p.nonces[0]) {
			t.Errorf("signer %d has signed", i)
		}
	}
	var n scalar.Scalar
	var b [32]byte
	n.Neg(n.One()).PutBytes(&b) // n − 1
	if _, err := ParsePartialSignature(b[:]); err != nil {
		t.Error(err)
	}
	b[31]++ // n
	if _, err := ParsePartialSignature(b[:]); err == nil {
		t.Error("n is accepted as a partial signature")
	}
	for _, some := range [][]*PartialSignature{nil, sigs[:1], append(slices.Clone(sigs), sigs[0])} {
		if _, err := p.session.Aggregate(some...); err == nil {
			t.Errorf("%d partial signatures are accepted", len(some))
		}
		if err := p.session.VerifyAll(some, p.nonces); err == nil {
			t.Errorf("%d partial signatures are valid", len(some))
		}
	}
	if err := p.session.VerifyAll(sigs, p.nonces[:1]); err == nil {
		t.Error("one nonce is accepted")
	}
}
