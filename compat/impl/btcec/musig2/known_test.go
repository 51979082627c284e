package musig2

import (
	"bytes"
	"io"
	"testing"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/musig"
)

func tweaking(tweaks []KeyTweakDesc, taproot []byte, bip86 bool) *keyAggOption {
	return (&tweakOptions{tweaks, taproot, bip86}).forKey()
}

// TestKnownKey checks that a cached key is not used after any change of its keys and tweaks.
func TestKnownKey(t *testing.T) {
	_, keys := signers(3)
	tweak := KeyTweakDesc{digest(1), true}
	known, err := newKnownKey(keys, encodings(keys), tweaking([]KeyTweakDesc{tweak}, nil, false))
	if err != nil {
		t.Fatal(err)
	}
	same := known.computedFrom
	tweaked := tweaking([]KeyTweakDesc{tweak}, nil, false)
	if !same(keys, tweaked) {
		t.Error("the same is another one")
	}
	_, copies := signers(3)
	if !same(copies, tweaked) {
		t.Error("copies of keys are others")
	}
	other := tweak
	other.Tweak[31] ^= 1
	plain := tweak
	plain.IsXOnly = false
	for name, o := range map[string]*keyAggOption{
		"no tweak": {}, "another tweak": tweaking([]KeyTweakDesc{other}, nil, false),
		"not x-only": tweaking([]KeyTweakDesc{plain}, nil, false),
		"two tweaks": tweaking([]KeyTweakDesc{tweak, tweak}, nil, false),
		"taproot":    tweaking(nil, tweak.Tweak[:], false), "BIP-86": tweaking(nil, nil, true),
	} {
		if same(keys, o) {
			t.Error(name, "is the same")
		}
	}
	copies[1], copies[2] = copies[2], copies[1]
	if same(copies, tweaked) || same(keys[:2], tweaked) {
		t.Error("other keys are the same")
	}
	*keys[0] = *opposite(keys[0])
	if same(keys, tweaked) {
		t.Error("a key that was overwritten is the same")
	}
	zeros, err := newKnownKey(copies, encodings(copies), tweaking(nil, make([]byte, 32), false))
	if err != nil || zeros.computedFrom(copies, tweaking(nil, nil, true)) {
		t.Error("a root of zeros is the same as none", err)
	}
	if (*knownKey)(nil).computedFrom(nil, tweaked) {
		t.Error("nothing is known and is the same")
	}
}

// TestWipe checks that a session that signs overwrites its secret nonces, whether it generated
// them, was given them, or took them from the context. After an error it must overwrite only nonces
// that it generated.
func TestWipe(t *testing.T) {
	private, keys := signers(1)
	keys = append(keys, keys[0])
	overflow := WithTweaks(KeyTweakDesc{Tweak: [32]byte(bytes.Repeat([]byte{255}, 32))})
	for _, test := range []struct {
		name    string
		context []ContextOption
		session []SessionOption
		options []SignOption
		wiped   bool
	}{
		{"made", nil, nil, nil, true},
		{"given", nil, []SessionOption{WithPreGeneratedNonce(noncesOf(t, keys[0], 1))}, nil, true},
		{"early", []ContextOption{WithEarlyNonceGen()}, nil, nil, true},
		{"made, and an error", nil, nil, []SignOption{overflow}, true},
		{"given, and an error", nil, []SessionOption{WithPreGeneratedNonce(noncesOf(t, keys[0], 1))},
			[]SignOption{overflow}, false},
		{"early, and an error", []ContextOption{WithEarlyNonceGen()}, nil,
			[]SignOption{overflow}, false},
	} {
		c, err := NewContext(private[0], false, append(test.context, WithKnownSigners(keys))...)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.NewSession(test.session...)
		if err != nil {
			t.Fatal(err)
		}
		n := s.localNonces
		before := *n
		if _, err := s.RegisterPubNonce(s.PublicNonce()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Sign(digest(1), test.options...); (err == nil) != (test.options == nil) {
			t.Fatal(err)
		}
		want := before
		if test.wiped {
			clear(want.SecNonce[:64])
		}
		if before.SecNonce == [SecNonceSize]byte{} || *n != want {
			t.Errorf("%s: wiped is %v", test.name, *n != before)
		}
		if !test.wiped {
			continue
		}
		again, err := c.NewSession(WithPreGeneratedNonce(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.RegisterPubNonce(s.pubNonces[1]); err != nil {
			t.Fatal(err)
		}
		if _, err := again.Sign(digest(2)); err != ErrSecretNonceZero {
			t.Errorf("%s: the nonces sign twice: %v", test.name, err)
		}
	}
}

// TestOffCurve checks that a key that is not on the curve adds nothing to an aggregated key.
func TestOffCurve(t *testing.T) {
	_, keys := signers(2)
	var p secp256k1.JacobianPoint
	keys[0].AsJacobian(&p)
	stray := secp256k1.NewPublicKey(&p.X, p.Y.AddInt(1).Normalize())
	// The coefficient of the second distinct key is 1, so the sum without stray is keys[1] itself.
	for _, list := range [][]*secp256k1.PublicKey{{stray, keys[1]}, {stray, keys[1], stray}} {
		sum, _, _, err := AggregateKeys(list, false)
		if err != nil || !sum.FinalKey.IsEqual(keys[1]) {
			t.Error(len(list), "keys:", sum, err)
		}
	}
}

// TestCheck checks that the method check accepts the partial signature that the method sign makes,
// and refuses another one.
func TestCheck(t *testing.T) {
	private, keys := signers(2)
	n := noncesOf(t, keys[0], 1)
	all := encodings(keys)
	var key aggregate
	if _, err := key.set(keys, all, tweaking(nil, nil, false)); err != nil {
		t.Fatal(err)
	}
	var points musig.Nonce
	if err := decodeNonce(&points, &n.PubNonce); err != nil {
		t.Fatal(err)
	}
	msg := digest(1)
	v := newValues(&key, &n.PubNonce, &points, &msg)
	c := v.factor(all, &all[0])
	s := new(secp256k1.ModNScalar)
	if err := v.sign(number(s), &n.SecNonce, number(&private[0].Key), c); err != nil {
		t.Fatal(err)
	}
	if !v.check(number(s), &n.SecNonce, keys[0], c) {
		t.Error("a good part is refused")
	}
	one := new(secp256k1.ModNScalar).SetInt(1)
	if v.check(number(s.Add(one)), &n.SecNonce, keys[0], c) {
		t.Error("a wrong part is let through")
	}
}

// TestDecode checks that Decode returns an error if the reader has fewer than 32 bytes, or if the
// number is not below n.
func TestDecode(t *testing.T) {
	for length := range 40 {
		var p PartialSignature
		err := p.Decode(bytes.NewReader(bytes.Repeat([]byte{1}, length)))
		switch {
		case length == 0 && err != io.EOF,
			length > 0 && length < 32 && err != io.ErrUnexpectedEOF,
			length >= 32 && err != nil, (length < 32) != p.S.IsZero():
			t.Errorf("%d bytes: %v, %v", length, p.S, err)
		}
	}
	var p PartialSignature
	if err := p.Decode(bytes.NewReader(bytes.Repeat([]byte{255}, 32))); err != ErrPartialSigInvalid {
		t.Error(err)
	}
}
