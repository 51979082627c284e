package ecdsa_test

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// forms holds all functions that sign a hash, by name, each in the form of a function that appends
// the signature to dst.
var forms = map[string]struct {
	sign func(dst []byte, k *koblitz.PrivateKey, h []byte, o *ecdsa.SignOptions) ([]byte, error)
	id   bool // whether the recovery id follows the signature
}{
	"Sign": {func(
		dst []byte, k *koblitz.PrivateKey, h []byte, o *ecdsa.SignOptions,
	) ([]byte, error) {
		sig, err := ecdsa.Sign(k, h, o)
		return sig.AppendBytes(dst), err
	}, false},
	"AppendSign": {ecdsa.AppendSign, false},
	"SignRecoverable": {func(
		dst []byte, k *koblitz.PrivateKey, h []byte, o *ecdsa.SignOptions,
	) ([]byte, error) {
		sig, err := ecdsa.SignRecoverable(k, h, o)
		return append(dst, sig...), err
	}, true},
	"AppendSignRecoverable": {ecdsa.AppendSignRecoverable, true},
}

// TestSign checks that all functions that sign return the signature that package reference
// computes, for hashes and entropy of many lengths.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 80 {
		d := secret(r)
		h, extra := random(r, 20+i), random(r, []int{0, 1, 32, 200}[i%4])
		if i == 12 {
			h = bytes32(curve.Order) // the hash is n, which is 0 mod n
		}
		nonce := reference.NoncesRFC6979(d, h, extra)()
		wantR, wantS, id, ok := reference.SignECDSA(d, h, nonce)
		if !ok {
			t.Fatal("the reference does not sign")
		}
		wantS, id = reference.LowS(wantS, id)
		want := pair(wantR, wantS)
		sig65 := append(bytes.Clone(want), byte(id))

		k := private(t, d)
		o := &ecdsa.SignOptions{Entropy: extra, Unchecked: i%3 == 0}
		if len(extra) == 0 && i%8 == 0 {
			o = nil
		}
		for name, form := range forms {
			want := string(want)
			if form.id {
				want = string(sig65)
			}
			for _, key := range []*koblitz.PrivateKey{k, k.Blinded()} {
				got, err := form.sign([]byte("dst"), key, h, o)
				if err != nil || string(got) != "dst"+want {
					t.Fatalf("%s with %x of %x = %x, %v, want %x", name, d, h, got, err, want)
				}
			}
		}
		sig := parse(t, want)
		if !sig.IsLowS() ||
			!verifies(t, k.PublicKey(), h, sig) || !verifiesLowS(t, k.PublicKey(), h, sig) {
			t.Fatalf("the signature with %x of %x does not verify", d, h)
		}
		if got, err := ecdsa.Recover(h, sig65); err != nil || !got.Equal(k.PublicKey()) {
			t.Fatalf("Recover = %v, %v, want %v", got, err, k.PublicKey())
		}
	}
}

func TestSignWithoutKey(t *testing.T) {
	wiped := koblitz.GenerateKey()
	wiped.Zeroize()
	for key, k := range map[string]*koblitz.PrivateKey{"nil": nil, "zero": {}, "zeroized": wiped} {
		for name, form := range forms {
			for _, o := range []*ecdsa.SignOptions{nil, {Unchecked: true}} {
				b, err := form.sign([]byte("dst"), k, make([]byte, 32), o)
				if string(b) != "dst" || !errors.Is(err, koblitz.ErrZeroKey) {
					t.Errorf("%s with a %s key and %v: %x, %v", name, key, o != nil, b, err)
				}
			}
		}
		if sig, err := ecdsa.Sign(k, make([]byte, 32), nil); sig != nil || err == nil {
			t.Errorf("Sign with a %s key: %v, %v", key, sig, err)
		}
	}
}

// TestEntropyIsRead checks that options hold no copy of the entropy: each signature reads the
// caller's slice, and the caller may overwrite it afterwards.
func TestEntropyIsRead(t *testing.T) {
	key, h := private(t, big.NewInt(3)), make([]byte, 32)
	entropy := []byte{1, 2, 3}
	options := &ecdsa.SignOptions{Entropy: entropy}
	for _, want := range [][]byte{{1, 2, 3}, {0, 0, 0}} {
		copy(entropy, want)
		got, err := ecdsa.Sign(key, h, options)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := ecdsa.Sign(key, h, &ecdsa.SignOptions{Entropy: bytes.Clone(want)})
		if err != nil {
			t.Fatal(err)
		}
		if *got != *fresh {
			t.Errorf("with %x: another signature than with entropy that is %x from the start", entropy, want)
		}
	}
}

func FuzzSignVerifyRecover(f *testing.F) {
	f.Add(bytes32(big.NewInt(1)), []byte("hash"), []byte{})
	f.Add(bytes32(big.NewInt(1)), []byte("a hash of 20 bytes .."), []byte{})
	f.Add(bytes32(new(big.Int).Sub(curve.Order, big.NewInt(1))), make([]byte, 32), []byte("entropy"))
	f.Fuzz(func(t *testing.T, secret, hash, entropy []byte) {
		k, err := koblitz.ParsePrivateKey(secret)
		if err != nil {
			return
		}
		sig65, err := ecdsa.SignRecoverable(k, hash, &ecdsa.SignOptions{Entropy: entropy})
		if (err != nil) != (len(hash) < 20) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		sig := parse(t, sig65[:64])
		if !verifiesLowS(t, k.PublicKey(), hash, sig) {
			t.Fatal("does not verify")
		}
		if key, err := ecdsa.Recover(hash, sig65); err != nil || !key.Equal(k.PublicKey()) {
			t.Fatalf("recovers %v, %v", key, err)
		}
		other, err := ecdsa.ParseDER(sig.DER())
		if err != nil || *other != *sig {
			t.Fatalf("DER comes back as %v, %v", other, err)
		}
		if len(hash) <= 32 {
			hash[len(hash)-1] ^= 1
			if verifies(t, k.PublicKey(), hash, sig) && !bytes.Equal(hash, bytes32(curve.Order)) {
				t.Fatal("verifies for another hash")
			}
		}
	})
}
