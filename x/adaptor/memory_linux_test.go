//go:build (amd64 || 386 || arm64 || riscv64) && !race && !valgrind

package adaptor

import (
	"errors"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/internal/secret/secrettest"
	"github.com/koblitz-go/koblitz/x/internal/modn"
)

func TestMain(m *testing.M) { secrettest.Main(m, operations) }

// TestNothingIsLeft checks that the functions that handle secrets leave none of them in memory, if
// the caller wipes the results.
func TestNothingIsLeft(t *testing.T) { secrettest.CheckMemory(t, operations) }

var operations = []secrettest.Operation{
	{Name: "SignSchnorr", Run: withKeys(
		func(record func([]byte), key, encryption *koblitz.PrivateKey) error {
			_, err := schnorrOf(record, key, encryption)
			return err
		})},
	{Name: "Schnorr.Decrypt and Recover", Run: withKeys(
		func(record func([]byte), key, encryption *koblitz.PrivateKey) error {
			a, err := schnorrOf(record, key, encryption)
			if err != nil {
				return err
			}
			signature, err := a.Decrypt(encryption)
			if err != nil {
				return err
			}
			k, err := a.Recover(encryption.PublicKey(), signature)
			k.Zeroize()
			_, other := a.Recover(key.PublicKey(), signature)
			if other == nil {
				return errors.New("it recovers another key")
			}
			return err
		})},
	{Name: "SignECDSA", Run: withKeys(
		func(record func([]byte), key, encryption *koblitz.PrivateKey) error {
			_, err := ecdsaOf(record, key, encryption)
			return err
		})},
	{Name: "ECDSA.Decrypt and Recover", Run: withKeys(
		func(record func([]byte), key, encryption *koblitz.PrivateKey) error {
			a, err := ecdsaOf(record, key, encryption)
			if err != nil {
				return err
			}
			signature, err := a.Decrypt(encryption)
			if err != nil {
				return err
			}
			var inverse group.Scalar
			defer inverse.Zeroize()
			inverse.SetPrivateKey(encryption)
			record(inverse.Invert(&inverse).Bytes())
			k, err := a.Recover(encryption.PublicKey(), signature)
			k.Zeroize()
			_, other := a.Recover(key.PublicKey(), signature)
			if other == nil {
				return errors.New("it recovers another key")
			}
			return err
		})},
	{Name: "leak: a nonce", Run: withKeys(
		func(record func([]byte), key, _ *koblitz.PrivateKey) error {
			var d group.Scalar
			defer d.Zeroize()
			d.SetPrivateKey(key)
			k, err := nonce("tag", &d)
			record(k.Bytes())
			return err
		})},
}

// withKeys returns an operation that calls f with a signing key and a decryption key.
func withKeys(
	f func(record func([]byte), key, encryption *koblitz.PrivateKey) error,
) func(record func([]byte)) error {
	return func(record func([]byte)) error {
		key, encryption := koblitz.GenerateKey(), koblitz.GenerateKey()
		defer key.Zeroize()
		defer encryption.Zeroize()
		record(key.Bytes())
		record(encryption.Bytes())
		return f(record, key, encryption)
	}
}

// schnorrOf returns an encrypted signature, and records its nonce, which is ±(s − e·d).
func schnorrOf(record func([]byte), key, encryption *koblitz.PrivateKey) (*Schnorr, error) {
	a, err := SignSchnorr(key, encryption.PublicKey(), []byte("message"))
	if err != nil {
		return nil, err
	}
	var d group.Scalar
	defer d.Zeroize()
	d.SetPrivateKey(key)
	if !key.PublicKey().HasEvenY() {
		d.Negate(&d)
	}
	d.Mul(&d, a.challenge(key.XOnlyPublicKey(), []byte("message")))
	record(d.Bytes())
	record(d.Sub(&a.s, &d).Bytes())
	return a, nil
}

// ecdsaOf returns an encrypted signature, and records its nonce k = (m + r·x)/s, its parts, and the
// nonce of its proof, which is c − b·k.
func ecdsaOf(record func([]byte), key, encryption *koblitz.PrivateKey) (*ECDSA, error) {
	hash := [32]byte{1}
	a, err := SignECDSA(key, encryption.PublicKey(), hash[:])
	if err != nil {
		return nil, err
	}
	var x, s group.Scalar
	defer x.Zeroize()
	x.SetPrivateKey(key)
	record(x.Mul(&x, a.number()).Bytes())
	record(x.Add(modn.Reduce(&s, &hash), &x).Bytes())
	record(x.Mul(&x, s.Invert(&a.s)).Bytes())
	var k group.Scalar
	defer k.Zeroize()
	k.Set(&x)
	record(k.Invert(&k).Bytes())
	x.Mul(&x, &a.proof.b)
	record(x.Bytes())
	record(x.Sub(&a.proof.c, &x).Bytes())
	return a, nil
}
