package ecdsa_test

import (
	"crypto/sha256"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
)

var curve = reference.Secp256k1()

func bytes32(x *big.Int) []byte { return x.FillBytes(make([]byte, 32)) }

func private(d *big.Int) *koblitz.PrivateKey {
	return reference.Must(koblitz.ParsePrivateKey(bytes32(d)))
}

func public(p reference.Point) *koblitz.PublicKey {
	b := slices.Concat([]byte{4}, bytes32(p.X), bytes32(p.Y))
	return reference.Must(koblitz.ParsePublicKey(b))
}

func parse(b []byte) *ecdsa.Signature { return reference.Must(ecdsa.ParseSignature(b)) }

func pair(r, s *big.Int) []byte { return append(bytes32(r), bytes32(s)...) }

// withNegatedS returns the signature with the same r, and with n - s in place of s.
func withNegatedS(sig *ecdsa.Signature) *ecdsa.Signature {
	r, s := sig.R(), sig.S()
	return parse(append(r[:], bytes32(new(big.Int).Sub(curve.Order, new(big.Int).SetBytes(s[:])))...))
}

// TestZeroValues checks that nil and zero values of keys and signatures do not verify, and that
// these signatures have no encoding.
func TestZeroValues(t *testing.T) {
	k := koblitz.GenerateKey()
	hash := make([]byte, 32)
	good, _ := ecdsa.Sign(k, hash, nil)
	for _, sig := range []*ecdsa.Signature{nil, {}} {
		if verifies(t, k.PublicKey(), hash, sig) || verifiesLowS(t, k.PublicKey(), hash, sig) ||
			sig.IsLowS() || !sig.IsZero() {
			t.Error("a zero value verifies")
		}
		if sig.Bytes() != nil || string(sig.AppendBytes([]byte("x"))) != "x" ||
			sig.DER() != nil || string(sig.AppendDER([]byte("x"))) != "x" ||
			sig.R() != [32]byte{} || sig.S() != [32]byte{} || !sig.Normalize().IsZero() {
			t.Error("a zero value has an encoding")
		}
	}
	for _, key := range []*koblitz.PublicKey{nil, {}} {
		if verifies(t, key, hash, good) || verifiesLowS(t, key, hash, good) ||
			verifies(t, key, hash, nil) {
			t.Error("a zero key verifies")
		}
	}
	for _, key := range []*koblitz.PreparedKey{nil, {}} {
		if ecdsa.VerifyPrepared(key, hash, good) || ecdsa.VerifyPreparedLowS(key, hash, good) ||
			ecdsa.VerifyPrepared(key, nil, nil) {
			t.Error("a zero prepared key verifies")
		}
	}
}

// ok reports whether a function returned no error.
func ok[T any](_ T, err error) bool { return err == nil }

func TestAllocations(t *testing.T) {
	k := koblitz.GenerateKey()
	blinded, key, prepared := k.Blinded(), k.PublicKey(), k.PublicKey().Prepare(1<<10)
	digest, entropy := sha256.Sum256([]byte("message")), make([]byte, 32)
	hash, buf := digest[:], make([]byte, 0, 72)
	sig, _ := ecdsa.Sign(k, hash, nil)
	raw, der, compact := sig.Bytes(), sig.DER(), key.Bytes()
	sig65, _ := ecdsa.SignRecoverable(k, hash, nil)
	kept := &ecdsa.SignOptions{Entropy: entropy}
	for _, test := range []struct {
		name string
		max  float64
		f    func() bool
	}{
		{"Verify", 0, func() bool { return ecdsa.Verify(key, hash, sig) }},
		{"VerifyLowS", 0, func() bool { return ecdsa.VerifyLowS(key, hash, sig) }},
		{"VerifyPrepared", 0, func() bool { return ecdsa.VerifyPrepared(prepared, hash, sig) }},
		{"VerifyPreparedLowS", 0, func() bool { return ecdsa.VerifyPreparedLowS(prepared, hash, sig) }},
		{"AppendSign", 0, func() bool { return ok(ecdsa.AppendSign(buf, k, hash, nil)) }},
		{"AppendSign, blinded", 0, func() bool { return ok(ecdsa.AppendSign(buf, blinded, hash, nil)) }},
		{"AppendSign with entropy", 0, func() bool {
			return ok(ecdsa.AppendSign(buf, k, hash, &ecdsa.SignOptions{Entropy: entropy}))
		}},
		{"AppendSign with much entropy in a local variable", 0, func() bool {
			var local [100]byte
			return ok(ecdsa.AppendSign(buf, k, hash, &ecdsa.SignOptions{Entropy: local[:]}))
		}},
		{"AppendSign with options that are kept", 0, func() bool {
			return ok(ecdsa.AppendSign(buf, k, hash, kept))
		}},
		{"AppendSignRecoverable", 0, func() bool {
			return ok(ecdsa.AppendSignRecoverable(buf, k, hash, nil))
		}},
		{"AppendSignRecoverable, blinded", 0, func() bool {
			return ok(ecdsa.AppendSignRecoverable(buf, blinded, hash,
				&ecdsa.SignOptions{Entropy: entropy}))
		}},
		{"AppendBytes", 0, func() bool { return len(sig.AppendBytes(buf)) == 64 }},
		{"AppendDER", 0, func() bool { return len(sig.AppendDER(buf)) >= 64 }},
		{"Parse and Verify", 0, func() bool {
			sig, err := ecdsa.ParseSignature(raw)
			return err == nil && ecdsa.Verify(key, hash, sig)
		}},
		{"ParseDER, ParsePublicKey and Verify", 0, func() bool {
			sig, err1 := ecdsa.ParseDER(der)
			key, err2 := koblitz.ParsePublicKey(compact)
			return err1 == nil && err2 == nil && ecdsa.Verify(key, hash, sig)
		}},
		{"ParseDERLax", 0, func() bool {
			sig, err := ecdsa.ParseDERLax(der)
			return err == nil && sig.IsLowS()
		}},
		{"Sign", 1, func() bool {
			return ok(ecdsa.Sign(k, hash, &ecdsa.SignOptions{Entropy: entropy}))
		}},
		{"SignRecoverable", 1, func() bool { return ok(ecdsa.SignRecoverable(k, hash, nil)) }},
		{"Bytes", 1, func() bool { return len(sig.Bytes()) == 64 }},
		{"DER", 1, func() bool { return len(sig.DER()) >= 64 }},
		{"Recover", 1, func() bool { return ok(ecdsa.Recover(hash, sig65)) }},
	} {
		if n := testing.AllocsPerRun(10, func() {
			if !test.f() {
				t.Errorf("%s fails", test.name)
			}
		}); n > test.max {
			t.Errorf("%s: %v allocations", test.name, n)
		}
	}
}

// TestConcurrentUse checks that many goroutines can use the same keys and signature at a time, and
// prepare the same key. The race detector finds violations. A key that is zeroized while it signs
// must return the right signature, or an error that does not say that the machine is faulty.
func TestConcurrentUse(t *testing.T) {
	hash := make([]byte, 32)
	for range 30 {
		k := koblitz.GenerateKey()
		blinded := k.Blinded()
		want := reference.Must(ecdsa.SignRecoverable(k, hash, nil))
		key, sig := reference.Must(ecdsa.Recover(hash, want)), parse(want[:64])
		shared := key.Prepare(1 << 10)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if !ecdsa.Verify(key, hash, sig) || !ecdsa.VerifyPrepared(shared, hash, sig) ||
					!shared.PublicKey().Equal(key) || !ecdsa.VerifyPrepared(key.Prepare(13<<10), hash, sig) {
					t.Error("does not verify")
				}
			})
			wg.Go(func() {
				signer := []*koblitz.PrivateKey{k, blinded}[i%2]
				got, err := ecdsa.SignRecoverable(signer, hash, nil)
				if err == nil && string(got) != string(want) ||
					err != nil && !(k.IsZero() && strings.Contains(err.Error(), "zeroized")) {
					t.Errorf("%x, %v", got, err)
				}
			})
		}
		wg.Go(k.Zeroize)
		wg.Wait()
		if _, err := ecdsa.Sign(blinded, hash, nil); err == nil {
			t.Error("the blinded key survives Zeroize")
		}
	}
}
