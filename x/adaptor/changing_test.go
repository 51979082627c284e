package adaptor_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/changing"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/adaptor"
)

// TestChangingMemory calls each function that takes bytes with memory that changes when it is read
// again. The result is that of the first content. The signing functions read a message again to
// find faults, and return an error.
func TestChangingMemory(t *testing.T) {
	key, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
	public, encryption := key.PublicKey(), secret.PublicKey()
	digest := schnorr.TaggedHash("test")
	hash := digest[:]
	message := bytes.Repeat([]byte("long"), 32)
	s := must(adaptor.SignSchnorr(key, encryption, message))(t)
	e := must(adaptor.SignECDSA(key, encryption, hash))(t)
	signature := must(s.Decrypt(secret))(t)
	const fault = "a fault happened"
	changing.Refused(t, "SignSchnorr", fault, message, func(b []byte) string {
		_, err := adaptor.SignSchnorr(key, encryption, b)
		return fmt.Sprint(err)
	})
	changing.Refused(t, "SignECDSA", fault, hash, func(b []byte) string {
		_, err := adaptor.SignECDSA(key, encryption, b)
		return fmt.Sprint(err)
	})
	changing.Same(t, "ParseSchnorr", s.Bytes(), func(b []byte) string {
		a, err := adaptor.ParseSchnorr(b)
		return fmt.Sprint(a.Bytes(), err)
	})
	changing.Same(t, "ParseECDSA", e.Bytes(), func(b []byte) string {
		a, err := adaptor.ParseECDSA(b)
		return fmt.Sprint(a.Bytes(), err)
	})
	changing.Same(t, "Schnorr.Verify", message, func(b []byte) string {
		return fmt.Sprint(s.Verify(key.XOnlyPublicKey(), encryption, b))
	})
	changing.Same(t, "ECDSA.Verify", hash, func(b []byte) string {
		return fmt.Sprint(e.Verify(public, encryption, b))
	})
	changing.Same(t, "Schnorr.Recover", signature, func(b []byte) string {
		k, err := s.Recover(encryption, b)
		return fmt.Sprint(k.Equal(secret), err)
	})
}

// TestChangingKeys verifies with keys that change when they are read again. The result is that of
// the first content: for a key that is hashed and another one that is multiplied, anyone could
// compute a signature.
func TestChangingKeys(t *testing.T) {
	key, secret, other := koblitz.GenerateKey(), koblitz.GenerateKey(), koblitz.GenerateKey()
	public, encryption := key.PublicKey(), secret.PublicKey()
	hash := make([]byte, 32)
	s := must(adaptor.SignSchnorr(key, encryption, hash))(t)
	e := must(adaptor.SignECDSA(key, encryption, hash))(t)
	xOnly := func(k *koblitz.PrivateKey) []byte { return content(k.XOnlyPublicKey()) }
	changing.Each(t, xOnly(key), xOnly(other), func(b []byte) {
		if !s.Verify((*koblitz.XOnlyPublicKey)(unsafe.Pointer(&b[0])), encryption, hash) {
			t.Error("Schnorr.Verify: two keys")
		}
	})
	changing.Each(t, content(encryption), content(public), func(b []byte) {
		if !s.Verify(key.XOnlyPublicKey(), (*koblitz.PublicKey)(unsafe.Pointer(&b[0])), hash) {
			t.Error("Schnorr.Verify: two encryption keys")
		}
	})
	changing.Each(t, content(public), content(encryption), func(b []byte) {
		if !e.Verify((*koblitz.PublicKey)(unsafe.Pointer(&b[0])), encryption, hash) {
			t.Error("ECDSA.Verify: two keys")
		}
	})
	changing.Each(t, content(encryption), content(public), func(b []byte) {
		if !e.Verify(public, (*koblitz.PublicKey)(unsafe.Pointer(&b[0])), hash) {
			t.Error("ECDSA.Verify: two encryption keys")
		}
	})
}

// TestChangingSignatures verifies encrypted signatures that change when they are read again. For
// one R that is hashed and another one that is added, anyone could compute a signature.
func TestChangingSignatures(t *testing.T) {
	key, encryption, hash := koblitz.GenerateKey(), koblitz.GenerateKey().PublicKey(), make([]byte, 32)
	other := bytes.Repeat([]byte{1}, 32)
	s, s2 := must(adaptor.SignSchnorr(key, encryption, hash))(t),
		must(adaptor.SignSchnorr(key, encryption, other))(t)
	e, e2 := must(adaptor.SignECDSA(key, encryption, hash))(t),
		must(adaptor.SignECDSA(key, encryption, other))(t)
	changing.Each(t, content(s), content(s2), func(b []byte) {
		a := (*adaptor.Schnorr)(unsafe.Pointer(&b[0]))
		if !a.Verify(key.XOnlyPublicKey(), encryption, hash) {
			t.Error("Schnorr.Verify: two signatures")
		}
	})
	changing.Each(t, content(e), content(e2), func(b []byte) {
		a := (*adaptor.ECDSA)(unsafe.Pointer(&b[0]))
		if !a.Verify(key.PublicKey(), encryption, hash) {
			t.Error("ECDSA.Verify: two signatures")
		}
	})
	runtime.KeepAlive([]any{s, s2, e, e2}) // bytes keep no points alive
}

// content returns the bytes of *p.
func content[T any](p *T) []byte {
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p)))
}
