package adaptor_test

import (
	"bytes"
	"fmt"
	"strings"
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
	for _, c := range []struct {
		name  string
		first []byte
		f     func(b []byte) string
	}{
		{"SignSchnorr", message, func(b []byte) string {
			_, err := adaptor.SignSchnorr(key, encryption, b)
			return fmt.Sprint(err)
		}},
		{"SignECDSA", hash, func(b []byte) string {
			_, err := adaptor.SignECDSA(key, encryption, b)
			return fmt.Sprint(err)
		}},
		{"ParseSchnorr", s.Bytes(), func(b []byte) string {
			a, err := adaptor.ParseSchnorr(b)
			return fmt.Sprint(a.Bytes(), err)
		}},
		{"ParseECDSA", e.Bytes(), func(b []byte) string {
			a, err := adaptor.ParseECDSA(b)
			return fmt.Sprint(a.Bytes(), err)
		}},
		{"Schnorr.Verify", message, func(b []byte) string {
			return fmt.Sprint(s.Verify(key.XOnlyPublicKey(), encryption, b))
		}},
		{"ECDSA.Verify", hash, func(b []byte) string {
			return fmt.Sprint(e.Verify(public, encryption, b))
		}},
		{"Schnorr.Recover", signature, func(b []byte) string {
			k, err := s.Recover(encryption, b)
			return fmt.Sprint(k.Equal(secret), err)
		}},
	} {
		want := c.f(bytes.Clone(c.first))
		second := bytes.Clone(c.first)
		for i := range second {
			second[i] ^= 1
		}
		changing.Each(t, c.first, second, func(b []byte) {
			got := c.f(b)
			if strings.HasPrefix(c.name, "Sign") && !bytes.Equal(b, c.first) {
				if !strings.HasSuffix(got, "a fault happened") {
					t.Errorf("%s: %s, want an error", c.name, got)
				}
			} else if got != want {
				t.Errorf("%s: %s, want %s", c.name, got, want)
			}
		})
	}
}
