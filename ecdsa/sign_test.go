package ecdsa_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// forms holds all functions that sign a hash, by name, each in the form of a function that appends
// the signature to dst.
var forms = map[string]struct {
	sign func(dst []byte, k *koblitz.PrivateKey, h []byte, o *ecdsa.SignOptions) ([]byte, error)
	id   bool // whether the recovery id follows the signature
}{
	"Sign":                  {appendSigned, false},
	"AppendSign":            {ecdsa.AppendSign, false},
	"SignRecoverable":       {appendRecoverable, true},
	"AppendSignRecoverable": {ecdsa.AppendSignRecoverable, true},
}

func appendSigned(
	dst []byte, k *koblitz.PrivateKey, h []byte, o *ecdsa.SignOptions,
) ([]byte, error) {
	sig, err := ecdsa.Sign(k, h, o)
	return sig.AppendBytes(dst), err
}

func appendRecoverable(
	dst []byte, k *koblitz.PrivateKey, h []byte, o *ecdsa.SignOptions,
) ([]byte, error) {
	sig, err := ecdsa.SignRecoverable(k, h, o)
	return append(dst, sig...), err
}

// TestSign checks that all functions that sign return the signature that package reference
// computes, for hashes and entropy of many lengths. All calls use the same options and the same
// memory for the entropy, so options that kept a copy would give other signatures.
func TestSign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	options, entropy := new(ecdsa.SignOptions), make([]byte, 200)
	for i := range 80 {
		d, h := reference.Secret(r), reference.Bytes(r, 20+i)
		extra := entropy[:[]int{0, 1, 32, 200, 31, 33, 64, i}[i%8]]
		copy(extra, reference.Bytes(r, len(extra)))
		if i == 12 {
			h = bytes32(curve.Order) // the hash is n, which is 0 mod n
		}
		want := signed(t, d, h, extra)
		k, o := private(d), options
		o.Entropy, o.Unchecked = extra, i%3 == 0
		if len(extra) == 0 && i%8 == 0 {
			o = nil
		}
		for name, form := range forms {
			want := want
			if !form.id {
				want = want[:64]
			}
			for _, key := range []*koblitz.PrivateKey{k, k.Blinded()} {
				got, err := form.sign([]byte("dst"), key, h, o)
				if err != nil || string(got) != "dst"+string(want) {
					t.Fatalf("%s with %x of %x = %x, %v, want %x", name, d, h, got, err, want)
				}
			}
		}
		sig := parse(want[:64])
		if !sig.IsLowS() ||
			!verifies(t, k.PublicKey(), h, sig) || !verifiesLowS(t, k.PublicKey(), h, sig) {
			t.Fatalf("the signature with %x of %x does not verify", d, h)
		}
		if got, err := ecdsa.Recover(h, want); err != nil || !got.Equal(k.PublicKey()) {
			t.Fatalf("Recover = %v, %v, want %v", got, err, k.PublicKey())
		}
		high := withNegatedS(sig)
		if !verifies(t, k.PublicKey(), h, high) || verifiesLowS(t, k.PublicKey(), h, high) {
			t.Fatalf("the high s of %x", sig.Bytes())
		}
		if i == 12 {
			continue // a signature of 0 verifies under the negated key too
		}
		if verifies(t, k.PublicKey().Negate(), h, sig) {
			t.Fatalf("%x verifies under the negated key", sig.Bytes())
		}
		for _, size := range sizes() { // an x-only key stands for the key with an even y
			even := k.XOnlyPublicKey().Prepare(size)
			if got := ecdsa.VerifyPrepared(even, h, sig); got != k.PublicKey().HasEvenY() {
				t.Fatalf("verdict under the prepared x-only key %v", got)
			}
		}
	}
}

// signed returns the recoverable signature that package reference computes.
func signed(t *testing.T, d *big.Int, h, extra []byte) []byte {
	t.Helper()
	r, s, id, ok := reference.SignECDSA(d, h, reference.NoncesRFC6979(d, h, extra)())
	if !ok {
		t.Fatal("the reference does not sign")
	}
	s, id = reference.LowS(s, id)
	return append(pair(r, s), byte(id))
}

// TestShortHashes checks that hashes shorter than 20 bytes are refused everywhere, even with a
// signature that is valid by the standard (of the empty hash, anyone can forge one). A package that
// replaces another library can bypass this rule: it passes the 32 bytes that hash.Leftmost returns
// for a hash of any length. The results must be those of the standard for the hash itself.
func TestShortHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for n := range 40 {
		d, h := reference.Secret(r), reference.Bytes(r, n)
		k, sig65 := private(d), signed(t, d, h, nil)
		sig := parse(sig65[:64])
		want := n >= 20
		if verifies(t, k.PublicKey(), h, sig) != want || verifiesLowS(t, k.PublicKey(), h, sig) != want {
			t.Errorf("a hash of %d bytes: the verdict is not %v", n, want)
		}
		key, err := ecdsa.Recover(h, sig65)
		if ok := err == nil && key.Equal(k.PublicKey()); ok != want ||
			!want && !strings.Contains(err.Error(), "want at least 20") {
			t.Errorf("a hash of %d bytes: Recover = %v, %v", n, key, err)
		}
		var b [32]byte
		hash.Leftmost(&b, h)
		got, err := ecdsa.SignRecoverable(k, b[:], nil)
		if err != nil || !bytes.Equal(got, sig65) || !verifies(t, k.PublicKey(), b[:], sig) {
			t.Errorf("the leftmost bits of a hash of %d bytes: %x, %v, want %x", n, got, err, sig65)
		}
		if key, err := ecdsa.Recover(b[:], sig65); err != nil || !key.Equal(k.PublicKey()) {
			t.Errorf("the leftmost bits of a hash of %d bytes: Recover = %v, %v", n, key, err)
		}
	}
}

// TestSignErrors checks that signing returns dst and an error if there is no key, if the hash is
// short, or after a fault. The test simulates a fault by a signer with another public key. With
// Unchecked set, signing then returns a signature that does not verify.
func TestSignErrors(t *testing.T) {
	good, wiped, faulty := koblitz.GenerateKey(), koblitz.GenerateKey(), koblitz.GenerateKey()
	wiped.Zeroize()
	(*keys.Private)(faulty).Public().SetAffine((*keys.Public)(good.PublicKey()).Affine())
	for key, test := range map[string]struct {
		key  *koblitz.PrivateKey
		hash int
		want string
	}{
		"nil":      {nil, 32, koblitz.ErrZeroKey.Error()},
		"zero":     {new(koblitz.PrivateKey), 32, koblitz.ErrZeroKey.Error()},
		"zeroized": {wiped, 32, koblitz.ErrZeroKey.Error()},
		"good":     {good, 19, "19 bytes, want at least 20"},
		"faulty":   {faulty, 32, ecdsa.ErrFault.Error()},
	} {
		hash := make([]byte, test.hash)
		for name, form := range forms {
			for _, o := range []*ecdsa.SignOptions{nil, {Entropy: []byte{1}}, {Unchecked: true}} {
				b, err := form.sign([]byte("dst"), test.key, hash, o)
				if key == "faulty" && o != nil && o.Unchecked {
					if len(b) < 3+64 || err != nil {
						t.Errorf("%s, unchecked, with a fault: %x, %v", name, b, err)
					}
				} else if string(b) != "dst" || err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s with a %s key and %v: %x, %v", name, key, o != nil, b, err)
				}
			}
		}
		if sig, err := ecdsa.Sign(test.key, hash, nil); sig != nil || err == nil {
			t.Errorf("Sign with a %s key: %v, %v", key, sig, err)
		}
	}
}
