package musig2

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/musig"
)

// digest returns the SHA-256 of the given bytes.
func digest(numbers ...byte) [32]byte { return sha256.Sum256(numbers) }

// signers returns n private keys, and their public keys.
func signers(n int) (private []*secp256k1.PrivateKey, public []*secp256k1.PublicKey) {
	for i := range n {
		b := digest(byte(i))
		private = append(private, secp256k1.PrivKeyFromBytes(b[:]))
		public = append(public, private[i].PubKey())
	}
	return private, public
}

// noncesOf returns the nonces for the key that come from the random bytes digest(i, 1).
func noncesOf(t testing.TB, key *secp256k1.PublicKey, i byte) *Nonces {
	t.Helper()
	b := digest(i, 1)
	n, err := GenNonces(WithPublicKey(key), WithCustomRand(bytes.NewReader(b[:])))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// opposite returns −p.
func opposite(p *secp256k1.PublicKey) *secp256k1.PublicKey {
	b := p.SerializeCompressed()
	b[0] ^= 1
	q, err := secp256k1.ParsePubKey(b)
	if err != nil {
		panic(err)
	}
	return q
}

// A scenario is a way to tweak the aggregated key, given as the options of each function that takes
// tweaks.
type scenario struct {
	name    string
	keys    []KeyAggOption
	sign    []SignOption
	context []ContextOption
	combine func(msg [32]byte, keys []*secp256k1.PublicKey, sort bool) []CombineOption
}

func scenarios() []scenario {
	root := digest(9)
	odd, even := KeyTweakDesc{digest(10), true}, KeyTweakDesc{digest(11), false}
	return []scenario{
		{"plain", nil, nil, nil,
			func([32]byte, []*secp256k1.PublicKey, bool) []CombineOption { return nil }},
		{"tweaks", []KeyAggOption{WithKeyTweaks(odd, even, odd)},
			[]SignOption{WithTweaks(odd, even, odd)},
			[]ContextOption{WithTweakedContext(odd, even, odd)},
			func(msg [32]byte, keys []*secp256k1.PublicKey, sort bool) []CombineOption {
				return []CombineOption{
					WithTweakedCombine(msg, keys, []KeyTweakDesc{odd, even, odd}, sort)}
			}},
		{"taproot", []KeyAggOption{WithTaprootKeyTweak(root[:])},
			[]SignOption{WithTaprootSignTweak(root[:])},
			[]ContextOption{WithTaprootTweakCtx(root[:])},
			func(msg [32]byte, keys []*secp256k1.PublicKey, sort bool) []CombineOption {
				return []CombineOption{WithTaprootTweakedCombine(msg, keys, root[:], sort)}
			}},
		{"BIP-86", []KeyAggOption{WithBIP86KeyTweak()}, []SignOption{WithBip86SignTweak()},
			[]ContextOption{WithBip86TweakCtx()},
			func(msg [32]byte, keys []*secp256k1.PublicKey, sort bool) []CombineOption {
				return []CombineOption{WithBip86TweakedCombine(msg, keys, sort)}
			}},
	}
}

// TestSign checks the signatures that up to five signers make without sessions. Every partial
// signature and the combined signature must verify, and none may verify for another message, nonce
// or key.
func TestSign(t *testing.T) {
	for _, s := range scenarios() {
		for n := 1; n <= 5; n++ {
			for _, sort := range []bool{false, true} {
				t.Run(fmt.Sprint(s.name, n, sort), func(t *testing.T) { testSign(t, s, n, sort) })
			}
		}
	}
}

func testSign(t *testing.T, s scenario, n int, sort bool) {
	private, keys := signers(n)
	msg := digest(200, byte(n))
	var nonces []*Nonces
	var public [][PubNonceSize]byte
	for i, k := range private {
		nonces = append(nonces, noncesOf(t, k.PubKey(), byte(i)))
		public = append(public, nonces[i].PubNonce)
	}
	all, err := AggregateNonces(public)
	if err != nil {
		t.Fatal(err)
	}
	options := s.sign
	if sort {
		options = append([]SignOption{WithSortedKeys()}, options...)
	}
	var parts []*PartialSignature
	for i, k := range private {
		part, err := Sign(nonces[i].SecNonce, k, all, keys, msg, options...)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part)
		fast, err := Sign(nonces[i].SecNonce, k, all, keys, msg, append(options, WithFastSign())...)
		if err != nil || *fast.S != *part.S || *fast.R != *part.R {
			t.Error("another part without the check", err)
		}
		good := func(p *PartialSignature, nonce [PubNonceSize]byte, k *secp256k1.PublicKey,
			m [32]byte) bool {
			return p.Verify(nonce, all, keys, k, m, options...)
		}
		wrong := NewPartialSignature(new(secp256k1.ModNScalar).NegateVal(part.S), part.R)
		negated := public[i]
		negated[33] ^= 1
		if !good(part, public[i], k.PubKey(), msg) {
			t.Error("a good part does not verify")
		}
		if good(&wrong, public[i], k.PubKey(), msg) || good(part, negated, k.PubKey(), msg) ||
			good(part, public[i], opposite(k.PubKey()), msg) ||
			good(part, public[i], k.PubKey(), digest(201)) {
			t.Error("a bad part verifies")
		}
	}
	key, _, _, err := AggregateKeys(keys, sort, s.keys...)
	if err != nil {
		t.Fatal(err)
	}
	sig := CombineSigs(parts[0].R, parts, s.combine(msg, keys, sort)...)
	if !sig.Verify(msg[:], key.FinalKey) {
		t.Error("the signature does not verify")
	}
}

// TestAggregateKeys checks that the aggregated key equals the sum of the keys times their
// coefficients, even for many keys.
func TestAggregateKeys(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 9, 1023, 1026} {
		_, keys := signers(min(n, 9))
		for i := 9; i < n; i++ {
			keys = append(keys, keys[i%9])
		}
		all := encodings(keys)
		a := aggregate{second: musig.SecondKey(all)}
		musig.HashKeys(&a.hash, all)
		var want secp256k1.JacobianPoint
		for i, k := range keys {
			var p secp256k1.JacobianPoint
			k.AsJacobian(&p)
			var c secp256k1.ModNScalar
			a.coefficient(number(&c), all, &all[i])
			secp256k1.ScalarMultNonConst(&c, &p, &p)
			secp256k1.AddNonConst(&want, &p, &want)
		}
		want.ToAffine()
		got, parity, tweak, err := AggregateKeys(keys, false)
		if err != nil || *got.FinalKey != *secp256k1.NewPublicKey(&want.X, &want.Y) ||
			*got.PreTweakedKey != *got.FinalKey || !tweak.IsZero() ||
			*parity != *new(secp256k1.ModNScalar).SetInt(1) {
			t.Error(n, "keys have another sum", err)
		}
	}
}

// TestSession checks the signatures that three signers make with sessions, with every tweak. The
// combined nonce is computed by each signer, or by one signer for all.
func TestSession(t *testing.T) {
	for _, s := range scenarios() {
		for _, given := range []bool{false, true} {
			t.Run(fmt.Sprint(s.name, given), func(t *testing.T) { testSession(t, s, given) })
		}
	}
}

func testSession(t *testing.T, s scenario, given bool) {
	private, keys := signers(3)
	msg := digest(100)
	var sessions []*Session
	var key *secp256k1.PublicKey
	var public [][PubNonceSize]byte
	for i, k := range private {
		_, unsorted := signers(3)
		c, err := NewContext(k, true, append(s.context, WithKnownSigners(unsorted))...)
		if err != nil {
			t.Fatal(err)
		}
		if key, err = c.CombinedKey(); err != nil {
			t.Fatal(err)
		}
		session, err := c.NewSession(WithPreGeneratedNonce(noncesOf(t, keys[i], byte(i))))
		if err != nil {
			t.Fatal(err)
		}
		sessions, public = append(sessions, session), append(public, session.PublicNonce())
	}
	all, err := AggregateNonces(public)
	if err != nil {
		t.Fatal(err)
	}
	for i, session := range sessions {
		if given {
			if err := session.RegisterCombinedNonce(all); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for j, nonce := range public {
			if j != i {
				if _, err := session.RegisterPubNonce(nonce); err != nil {
					t.Fatal(err)
				}
			}
		}
		if sum, err := session.CombinedNonce(); err != nil || sum != all {
			t.Error("another sum of nonces", err)
		}
	}
	for i, session := range sessions {
		part, err := session.Sign(msg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := session.Sign(msg); err != ErrSigningContextReuse {
			t.Error("a session signs twice", err)
		}
		if i == 0 {
			continue
		}
		done, err := sessions[0].CombineSig(part)
		if err != nil || done != (i == 2) {
			t.Fatal(i, done, err)
		}
	}
	var _ *schnorr.Signature = sessions[0].FinalSig()
	if !sessions[0].FinalSig().Verify(msg[:], key) {
		t.Error("the signature does not verify")
	}
}
