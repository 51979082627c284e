package ecdsa_test

import (
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
