package schnorr_test

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/schnorr"
)

// sizes returns the sizes of prepared keys in bytes. The first is a key without a table.
func sizes() []int {
	if !cputest.Deep() {
		return []int{0, 1 << 10, 13 << 10}
	}
	return []int{0, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 13 << 10, 26 << 10}
}

// verifies returns the verdict of Verify. It fails the test if VerifyPrepared gives another
// verdict, with a table of any size, for a key prepared from the x-only key or from a point with
// that x coordinate.
func verifies(t testing.TB, key *koblitz.XOnlyPublicKey, msg, sig []byte) bool {
	t.Helper()
	want := schnorr.Verify(key, msg, sig)
	even := key.PublicKey()
	for _, size := range sizes() {
		for name, prepared := range map[string]*koblitz.PreparedKey{
			"x-only": key.Prepare(size), "even": even.Prepare(size), "odd": even.Negate().Prepare(size),
		} {
			if got := schnorr.VerifyPrepared(prepared, msg, sig); got != want {
				t.Errorf("VerifyPrepared(%v (%s), %x, %x) with %d bytes = %v, and Verify says %v",
					prepared, name, msg, sig, size, got, want)
			}
		}
	}
	return want
}
