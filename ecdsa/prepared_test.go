package ecdsa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
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
	return agree(t, ecdsa.Verify, ecdsa.VerifyPrepared, key, hash, sig)
}

// verifiesLowS returns the verdict of VerifyLowS. It fails the test if VerifyPreparedLowS gives
// another verdict, with a table of any size.
func verifiesLowS(t testing.TB, key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature) bool {
	t.Helper()
	return agree(t, ecdsa.VerifyLowS, ecdsa.VerifyPreparedLowS, key, hash, sig)
}

// agree returns the verdict of verify. It fails the test if prepared gives another verdict.
func agree(
	t testing.TB, verify func(*koblitz.PublicKey, []byte, *ecdsa.Signature) bool,
	prepared func(*koblitz.PreparedKey, []byte, *ecdsa.Signature) bool,
	key *koblitz.PublicKey, hash []byte, sig *ecdsa.Signature,
) bool {
	t.Helper()
	want := verify(key, hash, sig)
	for _, size := range sizes() {
		if got := prepared(key.Prepare(size), hash, sig); got != want {
			t.Errorf("%v, %x, %x: %v with a prepared key of %d bytes, %v without",
				key, hash, sig.Bytes(), got, size, want)
		}
	}
	return want
}

// TestVerify checks that signatures by random keys on random hashes verify, and that they do not
// verify under the negated key. Prepared keys must give the same verdicts. An x-only key stands for
// the key with that x coordinate and an even y.
func TestVerify(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for range 60 {
		k := private(reference.Secret(r))
		key, hash := k.PublicKey(), reference.Bytes(r, 32)
		sig := reference.Must(ecdsa.Sign(k, hash, nil))
		if !verifies(t, key, hash, sig) || !verifiesLowS(t, key, hash, sig) {
			t.Fatalf("%x does not verify under %v", sig.Bytes(), key)
		}
		if high := withNegatedS(sig); !verifies(t, key, hash, high) || verifiesLowS(t, key, hash, high) {
			t.Fatalf("the high s of %x", sig.Bytes())
		}
		if verifies(t, key.Negate(), hash, sig) {
			t.Fatalf("%x verifies under the negated key", sig.Bytes())
		}
		for _, size := range sizes() {
			want := key.HasEvenY()
			if got := ecdsa.VerifyPrepared(k.XOnlyPublicKey().Prepare(size), hash, sig); got != want {
				t.Errorf("verdict under the prepared x-only key %v, want %v", got, want)
			}
		}
	}
}
