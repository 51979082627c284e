package adaptor_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/adaptor"
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

// Keys, encryption keys and nonce points have even and odd y coordinates.
func TestSchnorr(t *testing.T) {
	message := []byte("message")
	for range 32 {
		key, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
		public, encryption := key.XOnlyPublicKey(), secret.PublicKey()
		a := must(adaptor.SignSchnorr(key, encryption, message))(t)
		a = must(adaptor.ParseSchnorr(a.Bytes()))(t)
		if !a.Verify(public, encryption, message) {
			t.Fatal("the encrypted signature is not valid")
		}
		if a.Verify(public, encryption.Negate(), message) || a.Verify(public, encryption, nil) ||
			a.Verify(secret.XOnlyPublicKey(), encryption, message) {
			t.Error("an argument does not count")
		}
		signature := must(a.Decrypt(secret))(t)
		if !schnorr.Verify(public, message, signature) {
			t.Fatal("the decrypted signature is not valid")
		}
		if got := must(a.Recover(encryption, signature))(t); !got.Equal(secret) {
			t.Error("another key is recovered")
		}
		if _, err := a.Recover(public.PublicKey(), signature); err == nil {
			t.Error("a key is recovered that is not the encryption key's")
		}
		if wrong := must(a.Decrypt(secret.Negate()))(t); schnorr.Verify(public, message, wrong) {
			t.Error("another key decrypts the signature")
		}
		other := must(adaptor.SignSchnorr(key, encryption, message))(t)
		if bytes.Equal(other.Bytes(), a.Bytes()) {
			t.Error("a nonce is used twice")
		}
		if _, err := other.Recover(encryption, signature); err == nil {
			t.Error("a key is recovered from another encrypted signature")
		}
		// The same R with another s, and with that of the encrypted signature.
		changed := slices.Clone(signature)
		changed[63] ^= 1
		same := append(signature[:32:32], a.Bytes()[33:]...)
		for _, unrelated := range [][]byte{changed, same} {
			if _, err := a.Recover(encryption, unrelated); err == nil {
				t.Error("a key is recovered from a signature with another s")
			}
		}
	}
}

// Every byte of an encrypted signature counts.
func TestSchnorrChanges(t *testing.T) {
	key, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
	a := must(adaptor.SignSchnorr(key, secret.PublicKey(), nil))(t)
	for i := range adaptor.SchnorrSize {
		b := a.Bytes()
		b[i] ^= 1 << (i % 8)
		changed, err := adaptor.ParseSchnorr(b)
		if err == nil && changed.Verify(key.XOnlyPublicKey(), secret.PublicKey(), nil) {
			t.Errorf("byte %d does not count", i)
		}
	}
}

func TestECDSA(t *testing.T) {
	hash := schnorr.TaggedHash("test")
	for range 16 {
		key, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
		public, encryption := key.PublicKey(), secret.PublicKey()
		a := must(adaptor.SignECDSA(key, encryption, hash[:]))(t)
		a = must(adaptor.ParseECDSA(a.Bytes()))(t)
		if !a.Verify(public, encryption, hash[:]) {
			t.Fatal("the encrypted signature is not valid")
		}
		other := schnorr.TaggedHash("other")
		if a.Verify(public.Negate(), encryption, hash[:]) || a.Verify(public, public, hash[:]) ||
			a.Verify(public, encryption, other[:]) || a.Verify(public, encryption, hash[:31]) {
			t.Error("an argument does not count")
		}
		signature := must(a.Decrypt(secret))(t)
		if !ecdsa.VerifyLowS(public, hash[:], signature) {
			t.Fatal("the decrypted signature is not valid")
		}
		for _, sig := range []*ecdsa.Signature{signature, negative(t, signature)} {
			if got := must(a.Recover(encryption, sig))(t); !got.Equal(secret) {
				t.Error("another key is recovered")
			}
		}
		if _, err := a.Recover(public, signature); err == nil {
			t.Error("a key is recovered that is not the encryption key's")
		}
		if wrong := must(a.Decrypt(key))(t); ecdsa.Verify(public, hash[:], wrong) {
			t.Error("another key decrypts the signature")
		}
		again := must(adaptor.SignECDSA(key, encryption, hash[:]))(t)
		if _, err := again.Recover(encryption, signature); err == nil {
			t.Error("a key is recovered from another encrypted signature")
		}
		// The same r with another s, and with that of the encrypted signature.
		r, changed := signature.R(), signature.S()
		changed[31] ^= 1
		for _, s := range [][]byte{changed[:], a.Bytes()[66:98]} {
			unrelated := must(ecdsa.ParseSignature(slices.Concat(r[:], s)))(t)
			if _, err := a.Recover(encryption, unrelated); err == nil {
				t.Error("a key is recovered from a signature with another s")
			}
		}
	}
}

// negative returns the signature with n − s.
func negative(t *testing.T, sig *ecdsa.Signature) *ecdsa.Signature {
	t.Helper()
	r, b := sig.R(), sig.S()
	s := must(new(group.Scalar).SetBytes(b[:]))(t)
	return must(ecdsa.ParseSignature(s.Negate(s).AppendBytes(r[:])))(t)
}

func TestECDSAChanges(t *testing.T) {
	key, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
	hash := schnorr.TaggedHash("test")
	a := must(adaptor.SignECDSA(key, secret.PublicKey(), hash[:]))(t)
	for i := range adaptor.ECDSASize {
		b := a.Bytes()
		b[i] ^= 1 << (i % 8)
		changed, err := adaptor.ParseECDSA(b)
		if err == nil && changed.Verify(key.PublicKey(), secret.PublicKey(), hash[:]) {
			t.Errorf("byte %d does not count", i)
		}
	}
	// Without the proof, a signer could encrypt to another key Y′, with R = k·Y′. Such a signature
	// is made from one that is encrypted to Y′, with the proof of the signature a.
	other := must(adaptor.SignECDSA(key, key.PublicKey(), hash[:]))(t)
	mixed := slices.Concat(other.Bytes()[:98], a.Bytes()[98:])
	if must(adaptor.ParseECDSA(mixed))(t).Verify(key.PublicKey(), secret.PublicKey(), hash[:]) {
		t.Error("a signature that is encrypted to another key is accepted")
	}
	// The equation for s also holds for −s and −A. Then the proof must be invalid.
	b := a.Bytes()
	s := must(new(group.Scalar).SetBytes(b[66:98]))(t)
	copy(b[66:], s.Negate(s).Bytes())
	b[33] ^= 1
	if must(adaptor.ParseECDSA(b))(t).Verify(key.PublicKey(), secret.PublicKey(), hash[:]) {
		t.Error("the negative is accepted")
	}
}

func TestParseErrors(t *testing.T) {
	key := koblitz.GenerateKey()
	hash := make([]byte, 32)
	e := must(adaptor.SignECDSA(key, key.PublicKey(), hash))(t).Bytes()
	s := must(adaptor.SignSchnorr(key, key.PublicKey(), hash))(t).Bytes()
	ones := bytes.Repeat([]byte{0xff}, 33)
	at := func(b []byte, offset int, value []byte) []byte {
		b = slices.Clone(b)
		copy(b[offset:], value)
		return b
	}
	for i, b := range [][]byte{
		nil, s[:64], append(slices.Clone(s), 0), at(s, 0, ones), at(s, 0, []byte{4}),
		at(s, 33, ones[:32]), make([]byte, 65),
	} {
		if _, err := adaptor.ParseSchnorr(b); err == nil {
			t.Errorf("BIP-340, %d: no error", i)
		}
	}
	for i, b := range [][]byte{
		nil, e[:161], append(slices.Clone(e), 0), at(e, 0, ones), at(e, 33, ones),
		at(e, 33, make([]byte, 33)), at(e, 66, ones[:32]), at(e, 66, make([]byte, 32)),
		at(e, 98, ones[:32]), at(e, 130, ones[:32]), make([]byte, 162),
	} {
		if _, err := adaptor.ParseECDSA(b); err == nil {
			t.Errorf("ECDSA, %d: no error", i)
		}
	}
}

// Zero values and nil fail, and do not panic.
func TestZeroValues(t *testing.T) {
	key, hash := koblitz.GenerateKey(), make([]byte, 32)
	public := key.PublicKey()
	for _, a := range []*adaptor.Schnorr{nil, new(adaptor.Schnorr)} {
		_, decryptErr := a.Decrypt(key)
		_, recoverErr := a.Recover(public, make([]byte, 64))
		if a.Bytes() != nil || decryptErr == nil || recoverErr == nil ||
			a.Verify(key.XOnlyPublicKey(), public, nil) {
			t.Error("a zero value of Schnorr works")
		}
	}
	for _, a := range []*adaptor.ECDSA{nil, new(adaptor.ECDSA)} {
		_, decryptErr := a.Decrypt(key)
		_, recoverErr := a.Recover(public, must(ecdsa.Sign(key, hash, nil))(t))
		if a.Bytes() != nil || decryptErr == nil || recoverErr == nil || a.Verify(public, public, hash) {
			t.Error("a zero value of ECDSA works")
		}
	}
	s := must(adaptor.SignSchnorr(key, public, hash))(t)
	e := must(adaptor.SignECDSA(key, public, hash))(t)
	if s.Verify(nil, public, hash) || s.Verify(key.XOnlyPublicKey(), nil, hash) ||
		e.Verify(nil, public, hash) || e.Verify(public, nil, hash) || e.Verify(public, public, nil) {
		t.Error("nil verifies")
	}
	for _, zero := range []*koblitz.PrivateKey{nil, new(koblitz.PrivateKey)} {
		_, err1 := adaptor.SignSchnorr(zero, public, hash)
		_, err2 := adaptor.SignECDSA(zero, public, hash)
		_, err3 := s.Decrypt(zero)
		_, err4 := e.Decrypt(zero)
		if err1 == nil || err2 == nil || err3 == nil || err4 == nil {
			t.Error("a zero private key works")
		}
	}
	for _, zero := range []*koblitz.PublicKey{nil, new(koblitz.PublicKey)} {
		_, err1 := adaptor.SignSchnorr(key, zero, hash)
		_, err2 := adaptor.SignECDSA(key, zero, hash)
		_, err3 := s.Recover(zero, must(s.Decrypt(key))(t))
		_, err4 := e.Recover(zero, must(e.Decrypt(key))(t))
		if err1 == nil || err2 == nil || err3 == nil || err4 == nil {
			t.Error("a zero public key works")
		}
	}
	if _, err := e.Recover(public, nil); err == nil {
		t.Error("a key is recovered from nil")
	}
	if _, err := s.Recover(public, nil); err == nil {
		t.Error("a key is recovered from nil")
	}
	if _, err := adaptor.SignECDSA(key, public, hash[:31]); err == nil {
		t.Error("a hash of 31 bytes is signed")
	}
}

// FuzzParse parses, verifies, decrypts and recovers with any bytes. A valid signature needs the
// private key.
func FuzzParse(f *testing.F) {
	key, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
	encryption := secret.PublicKey()
	hash := schnorr.TaggedHash("fuzz")
	other := schnorr.TaggedHash("other")
	f.Add(must(adaptor.SignSchnorr(key, encryption, other[:]))(f).Bytes(), make([]byte, 64))
	f.Add(must(adaptor.SignECDSA(key, encryption, other[:]))(f).Bytes(), make([]byte, 64))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, b, signature []byte) {
		if a, err := adaptor.ParseSchnorr(b); err == nil {
			if !bytes.Equal(a.Bytes(), b) || a.Verify(key.XOnlyPublicKey(), encryption, hash[:]) {
				t.Error("BIP-340: a signature is forged, or encodes to other bytes")
			}
			if k, err := a.Recover(encryption, signature); err == nil && !k.Equal(secret) {
				t.Error("BIP-340: another key is recovered")
			}
			must(a.Decrypt(secret))(t)
		}
		if a, err := adaptor.ParseECDSA(b); err == nil {
			if !bytes.Equal(a.Bytes(), b) || a.Verify(key.PublicKey(), encryption, hash[:]) {
				t.Error("ECDSA: a signature is forged, or encodes to other bytes")
			}
			must(a.Decrypt(secret))(t)
			sig, err := ecdsa.ParseSignature(signature)
			if err != nil {
				return
			}
			if k, err := a.Recover(encryption, sig); err == nil && !k.Equal(secret) {
				t.Error("ECDSA: another key is recovered")
			}
		}
	})
}
