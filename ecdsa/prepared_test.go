package ecdsa_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// sizes returns the sizes of prepared keys in bytes. The first is a key without a table.
func sizes() []int {
	if !cputest.Deep() {
		return []int{0, 1 << 10, 13 << 10}
	}
	return []int{0, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 13 << 10, 26 << 10}
}

// verifies returns the verdict of Verify. It fails the test if VerifyPrepared gives another
// verdict, with a table of any size.
func verifies(t testing.TB, key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) bool {
	t.Helper()
	want := ecdsa.Verify(key, hash, sig)
	for _, size := range sizes() {
		if got := ecdsa.VerifyPrepared(key.Prepare(size), hash, sig); got != want {
			t.Errorf("VerifyPrepared(%v, %x, %x) with %d bytes = %v, and Verify says %v",
				key, hash, sig.Bytes(), size, got, want)
		}
	}
	return want
}

// verifiesLowS returns the verdict of VerifyLowS. It fails the test if VerifyPreparedLowS gives
// another verdict, with a table of any size.
func verifiesLowS(t testing.TB, key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) bool {
	t.Helper()
	want := ecdsa.VerifyLowS(key, hash, sig)
	for _, size := range sizes() {
		if got := ecdsa.VerifyPreparedLowS(key.Prepare(size), hash, sig); got != want {
			t.Errorf("VerifyPreparedLowS(%v, %x, %x) with %d bytes = %v, and VerifyLowS says %v",
				key, hash, sig.Bytes(), size, got, want)
		}
	}
	return want
}

// TestVerifyPrepared checks that signatures by random keys on random hashes verify, and that they
// do not verify with a flipped bit or under the negated key. Prepared keys must give the same
// verdicts.
func TestVerifyPrepared(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 60 {
		k := private(t, secret(r))
		key, hash := k.PublicKey(), random(r, 32)
		sig, err := ecdsa.Sign(k, hash, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !verifies(t, key, hash, sig) || !verifiesLowS(t, key, hash, sig) {
			t.Fatalf("%x does not verify under %v", sig.Bytes(), key)
		}
		if high := withNegatedS(sig); !verifies(t, key, hash, high) || verifiesLowS(t, key, hash, high) {
			t.Fatalf("the high s of %x", sig.Bytes())
		}
		if verifies(t, key.Negate(), hash, sig) {
			t.Fatalf("%x verifies under the negated key", sig.Bytes())
		}
		b := sig.Bytes()
		b[r.IntN(64)] ^= 1 << r.IntN(8)
		if mutant, err := ecdsa.ParseSignature(b); err == nil && verifies(t, key, hash, mutant) {
			t.Fatalf("%x verifies under %v", b, key)
		}
		hash[r.IntN(32)] ^= 1 << r.IntN(8)
		if verifies(t, key, hash, sig) {
			t.Fatalf("%x verifies for another hash", sig.Bytes())
		}
	}
}

// TestVerifyPreparedXOnly checks that preparing an x-only key gives the key with that x coordinate
// and an even y.
func TestVerifyPreparedXOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for range 10 {
		k, hash := private(t, secret(r)), random(r, 32)
		sig, err := ecdsa.Sign(k, hash, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range sizes() {
			want := k.PublicKey().HasEvenY()
			if got := ecdsa.VerifyPrepared(k.XOnlyPublicKey().Prepare(size), hash, sig); got != want {
				t.Errorf("verdict under the prepared x-only key %v, want %v", got, want)
			}
		}
	}
}

func TestVerifyPreparedZero(t *testing.T) {
	k, hash := koblitz.GenerateKey(), make([]byte, 32)
	good, _ := ecdsa.Sign(k, hash, nil)
	for _, key := range []*koblitz.PreparedKey{
		nil,
		{},
		(*koblitz.PublicKey)(nil).Prepare(26 << 10),
		new(koblitz.PublicKey).Prepare(0),
	} {
		if ecdsa.VerifyPrepared(key, hash, good) || ecdsa.VerifyPreparedLowS(key, hash, good) ||
			ecdsa.VerifyPrepared(key, nil, nil) {
			t.Error("a zero key verifies")
		}
	}
	for _, size := range sizes() {
		key := k.PublicKey().Prepare(size)
		for _, sig := range []*ecdsa.Signature{nil, {}} {
			if ecdsa.VerifyPrepared(key, hash, sig) || ecdsa.VerifyPreparedLowS(key, hash, sig) {
				t.Error("a zero signature verifies")
			}
		}
		if n := testing.AllocsPerRun(10, func() {
			if !ecdsa.VerifyPrepared(key, hash, good) || !ecdsa.VerifyPreparedLowS(key, hash, good) {
				t.Error("does not verify")
			}
		}); n != 0 {
			t.Errorf("%d bytes: %v allocations", size, n)
		}
	}
}

// TestVerifyPreparedConcurrently checks that many goroutines can use one prepared key, and prepare
// the same public key, at a time. The race detector finds violations.
func TestVerifyPreparedConcurrently(t *testing.T) {
	k := koblitz.GenerateKey()
	key, hash := k.PublicKey(), sha256.Sum256([]byte("message"))
	sig, _ := ecdsa.Sign(k, hash[:], nil)
	for _, size := range sizes() {
		shared := key.Prepare(size)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 5 {
					if !ecdsa.VerifyPrepared(shared, hash[:], sig) || !shared.PublicKey().Equal(key) {
						t.Error("does not verify")
					}
				}
				if !ecdsa.VerifyPrepared(key.Prepare(size), hash[:], sig) {
					t.Error("does not verify")
				}
			})
		}
		wg.Wait()
	}
}
