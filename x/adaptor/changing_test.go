package adaptor_test

import (
	"bytes"
	"fmt"
	"testing"

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
