package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// must returns v. It panics if the setup of a test failed.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func testKey(n byte) *koblitz.PrivateKey {
	b := sha256.Sum256([]byte{n})
	return must(koblitz.ParsePrivateKey(b[:]))
}

func ecdsaSignature(n byte, digest [32]byte) *ecdsa.Signature {
	return must(ecdsa.Sign(testKey(n), digest[:], nil))
}

// highS returns the second valid signature of the same digest, in which n − s replaces s.
func highS(sig []byte) []byte {
	out := append([]byte(nil), sig...)
	borrow := 0
	for i := 31; i >= 0; i-- {
		d := int(groupOrder[i]) - int(sig[32+i]) - borrow
		borrow = 0
		if d < 0 {
			d += 256
			borrow = 1
		}
		out[32+i] = byte(d)
	}
	return out
}

// alone returns the results for a unit of a worker that verifies each signature alone.
func alone(t *testing.T, u reading.Unit) (list []result) {
	w := newWorker(&Config{Workers: 1, OneByOne: true, Keep: keepAll}, new(atomic.Bool))
	j := &job{done: make(chan struct{})}
	w.unit(t.Context(), j, &u)
	w.finish(t.Context())
	if j.fault != nil {
		t.Error(j.fault)
	}
	for i, r := range j.rows {
		list = append(list, result{r.Verdict, r.Reason, r.Sender})
		if len(u.Signatures) > 1 && r.Signature != i+1 {
			t.Errorf("signature %d has the number %d", i+1, r.Signature)
		}
	}
	return list
}

func TestVerifySingle(t *testing.T) {
	digest := sha256.Sum256([]byte("message"))
	key := testKey(1)
	sig := ecdsaSignature(1, digest)
	high := must(ecdsa.ParseSignature(highS(sig.Bytes())))
	bip340 := must(schnorr.Sign(key, digest[:], nil))
	pub, x := key.PublicKey().Bytes(), key.PublicKey().XOnlyPublicKey().Bytes()
	over := slices.Clone(fieldPrime)
	compact, der := reading.Unit{Scheme: reading.ECDSA, Compact: true},
		reading.Unit{Scheme: reading.ECDSA}
	low, lax, b340 := compact, der, reading.Unit{Scheme: reading.Schnorr}
	low.LowS, lax.LaxDER = true, true
	otherKey := testKey(2).PublicKey()
	for _, test := range []struct {
		name string
		unit reading.Unit
		sig  []byte
		key  []byte
		want reading.Verdict
	}{
		{"compact", compact, sig.Bytes(), pub, reading.Valid},
		{"compact, other key", compact, sig.Bytes(), otherKey.Bytes(), reading.Invalid},
		{"compact, high s", compact, high.Bytes(), pub, reading.Valid},
		{"compact, high s refused", low, high.Bytes(), pub, reading.Invalid},
		{"compact, low s demanded", low, sig.Bytes(), pub, reading.Valid},
		{"compact, short", compact, sig.Bytes()[:63], pub, reading.Malformed},
		{"compact, zero", compact, make([]byte, 64), pub, reading.Malformed},
		{"key is none", compact, sig.Bytes(), append([]byte{2}, over...), reading.Malformed},
		{"DER", der, sig.DER(), pub, reading.Valid},
		{"DER, uncompressed key", der, sig.DER(), key.PublicKey().UncompressedBytes(), reading.Valid},
		{"DER, lax", lax, append(sig.DER(), 0), pub, reading.Valid},
		{"DER, strict", der, append(sig.DER(), 0), pub, reading.Malformed},
		{"compact for DER", der, sig.Bytes(), pub, reading.Malformed},
		{"BIP-340", b340, bip340, x, reading.Valid},
		{"BIP-340, other key", b340, bip340, otherKey.XOnlyPublicKey().Bytes(), reading.Invalid},
		{"BIP-340, key of 33 bytes", b340, bip340, pub, reading.Malformed},
		{"BIP-340, short", b340, bip340[:63], x, reading.Malformed},
		{"BIP-340, r too big", b340, append(over, bip340[32:]...), x, reading.Malformed},
		{"BIP-340, s too big", b340, append(slices.Clone(bip340[:32]), groupOrder...), x,
			reading.Malformed},
		{"BIP-340, key is none", b340, bip340, over, reading.Malformed},
		{"no scheme", reading.Unit{}, bip340, x, reading.NotCheckable},
	} {
		u := test.unit
		u.Signatures = []reading.Signature{{Digest: digest, Sig: test.sig}}
		u.Keys = [][]byte{test.key}
		got := alone(t, u)
		if len(got) != 1 || got[0].verdict != test.want ||
			(got[0].reason == "") != (test.want == reading.Valid) {
			t.Errorf("%s: %+v, want %v", test.name, got, test.want)
		}
	}
}

func TestVerifyMultisig(t *testing.T) {
	digest := sha256.Sum256([]byte("message"))
	sig := func(n byte) []byte {
		if n == 0 {
			return []byte{0x30} // this signature is malformed
		}
		return ecdsaSignature(n, digest).DER()
	}
	key := func(n byte) []byte {
		if n == 0 {
			return []byte{5} // this key cannot be parsed
		}
		return testKey(n).PublicKey().Bytes()
	}
	const v, i, m = reading.Valid, reading.Invalid, reading.Malformed
	tests := []struct {
		signers, keys []byte
		want          []reading.Verdict
	}{
		{[]byte{1, 2}, []byte{1, 2}, []reading.Verdict{v, v}},
		{[]byte{1, 2}, []byte{1, 2, 3}, []reading.Verdict{v, v}},
		{[]byte{1, 3}, []byte{1, 2, 3}, []reading.Verdict{v, v}},
		{[]byte{2, 3}, []byte{1, 2, 3}, []reading.Verdict{v, v}},
		{[]byte{3}, []byte{1, 2, 3}, []reading.Verdict{v}},
		{[]byte{2, 1}, []byte{1, 2, 3}, []reading.Verdict{v, i}}, // order matters
		{[]byte{1, 1}, []byte{1, 2, 3}, []reading.Verdict{v, i}}, // each key matches once
		{[]byte{1, 1}, []byte{1, 1}, []reading.Verdict{v, v}},    // a key listed twice
		{[]byte{4, 2}, []byte{1, 2, 3}, []reading.Verdict{i, v}}, // the second one is good
		{[]byte{4, 5}, []byte{1, 2, 3}, []reading.Verdict{i, i}},
		{[]byte{0, 2}, []byte{1, 2}, []reading.Verdict{m, v}},
		{[]byte{1, 2}, []byte{1, 0, 2}, []reading.Verdict{v, v}}, // a bad key matches nothing
		{[]byte{1, 2}, []byte{1, 0}, []reading.Verdict{v, i}},
		{[]byte{1}, nil, []reading.Verdict{i}},
	}
	for _, test := range tests {
		u := reading.Unit{Scheme: reading.ECDSA}
		for _, n := range test.signers {
			u.Signatures = append(u.Signatures, reading.Signature{Digest: digest, Sig: sig(n)})
		}
		for _, n := range test.keys {
			u.Keys = append(u.Keys, key(n))
		}
		var got []reading.Verdict
		for _, r := range alone(t, u) {
			got = append(got, r.verdict)
		}
		if fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("signers %v, keys %v: %v, want %v", test.signers, test.keys, got, test.want)
		}
	}
}

// TestUndecoded checks the results of signatures that cannot be rows of columns: a bad key comes
// before a bad signature, as in package batch, and numbers that no signature has fit no key.
func TestUndecoded(t *testing.T) {
	key, zero := testKey(1).PublicKey().Bytes(), []byte{0x30, 6, 2, 1, 0, 2, 1, 0}
	off := append([]byte{2}, append(make([]byte, 31), 5)...) // not on the curve
	for _, test := range []struct {
		sig    []byte
		keys   [][]byte
		want   reading.Verdict
		reason string
	}{
		{zero, [][]byte{key}, reading.Invalid, "the signature does not fit the message and the key"},
		{zero, [][]byte{off}, reading.Malformed, "public key: x (bytes 1 to 32) is not the x coordinate"},
		{zero, [][]byte{key[1:]}, reading.Malformed, "the key has a wrong length or first byte"},
		{nil, [][]byte{key}, reading.Malformed, "lax DER signature: "},
		{nil, [][]byte{off}, reading.Malformed, "public key: x (bytes 1 to 32) is not the x coordinate"},
		{zero, [][]byte{key, key}, reading.Invalid, "the signature fits none of the keys from 1 to 2"},
		{nil, [][]byte{key, key}, reading.Malformed, "lax DER signature: "},
	} {
		for _, lowS := range []bool{false, true} {
			got := alone(t, reading.Unit{Scheme: reading.ECDSA, LaxDER: true, LowS: lowS, Keys: test.keys,
				Signatures: []reading.Signature{{Sig: test.sig}}})
			if len(got) != 1 || got[0].verdict != test.want ||
				!strings.HasPrefix(got[0].reason, test.reason) {
				t.Errorf("%x under %x: %+v, want %v: %s", test.sig, test.keys, got, test.want, test.reason)
			}
		}
	}
}

// TestRecover checks that recovery returns the sender of the example transaction in EIP-155, and
// the right reason in each way in which recovery can fail.
func TestRecover(t *testing.T) {
	// Below is EIP-155's example, whose secret key is 32 bytes of 0x46.
	fromHex := func(s string) []byte { return must(hex.DecodeString(s)) }
	digest := [32]byte(fromHex("daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53"))
	sig := fromHex("28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276" +
		"67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83" + "00")
	from := fromHex("9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f")
	change := func(at int, b ...byte) []byte {
		return append(append(append([]byte(nil), sig[:at]...), b...), sig[at+len(b):]...)
	}
	high := append(highS(sig[:64]), 1)
	for _, test := range []struct {
		name   string
		sig    []byte
		low    bool
		sender []byte
		want   reading.Verdict
	}{
		{"compared", sig, true, from, reading.Valid},
		{"not compared", sig, true, nil, reading.Recovered},
		{"another sender", sig, true, append([]byte{1}, from[1:]...), reading.Invalid},
		{"high s", high, false, from, reading.Valid},
		{"high s refused", high, true, from, reading.Invalid},
		{"other parity", change(64, 1), true, from, reading.Invalid},
		{"parity 2 without r + n below p", change(64, 2), true, from, reading.Invalid},
		{"short", sig[:64], true, from, reading.Malformed},
		{"r is 0", change(0, make([]byte, 32)...), true, from, reading.Malformed},
		{"s is n", change(32, groupOrder...), true, from, reading.Malformed},
		{"r is no x", change(0, append(make([]byte, 31), 5)...), true, nil, reading.Invalid},
	} {
		u := reading.Unit{Scheme: reading.Recover, LowS: test.low, Sender: test.sender,
			Signatures: []reading.Signature{{Digest: digest, Sig: test.sig}}}
		got := alone(t, u)
		if len(got) != 1 || got[0].verdict != test.want ||
			(got[0].reason == "") != (test.want == reading.Valid || test.want == reading.Recovered) {
			t.Errorf("%s: %+v, want %v", test.name, got, test.want)
		}
		if got[0].reason == "" && string(got[0].sender[:]) != string(from) {
			t.Errorf("%s: from %x", test.name, got[0].sender)
		}
	}
}
