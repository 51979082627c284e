package schnorr_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
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

// TestVerifyPrepared checks that signatures by random keys on random messages verify, and do not
// verify with a flipped bit. Prepared keys must give the same verdicts.
func TestVerifyPrepared(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for i := range 40 {
		k := private(t, bytes32(secret(r)))
		key, msg := k.XOnlyPublicKey(), random(r, 1+i)
		sig, err := schnorr.Sign(k, msg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !verifies(t, key, msg, sig) {
			t.Fatalf("%x does not verify under %v", sig, key)
		}
		mutant := bytes.Clone(sig)
		mutant[r.IntN(64)] ^= 1 << r.IntN(8)
		if verifies(t, key, msg, mutant) {
			t.Fatalf("%x verifies under %v", mutant, key)
		}
		msg[r.IntN(len(msg))] ^= 1 << r.IntN(8)
		if verifies(t, key, msg, sig) {
			t.Fatalf("%x verifies for another message", sig)
		}
	}
}

func TestVerifyPreparedZero(t *testing.T) {
	k := koblitz.GenerateKey()
	sig, _ := schnorr.Sign(k, nil, nil)
	for _, key := range []*koblitz.PreparedKey{
		nil,
		{},
		(*koblitz.XOnlyPublicKey)(nil).Prepare(26 << 10),
		new(koblitz.XOnlyPublicKey).Prepare(0),
	} {
		if schnorr.VerifyPrepared(key, nil, sig) ||
			schnorr.VerifyPrepared(key, nil, make([]byte, 64)) ||
			schnorr.VerifyPrepared(key, nil, nil) {
			t.Error("a zero key verifies")
		}
	}
	for _, size := range sizes() {
		key := k.XOnlyPublicKey().Prepare(size)
		if n := testing.AllocsPerRun(10, func() {
			if !schnorr.VerifyPrepared(key, nil, sig) {
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
	k, msg := koblitz.GenerateKey(), []byte("message")
	key := k.XOnlyPublicKey()
	sig, _ := schnorr.Sign(k, msg, nil)
	for _, size := range sizes() {
		shared := key.Prepare(size)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 5 {
					if !schnorr.VerifyPrepared(shared, msg,
						sig) || !shared.PublicKey().XOnlyPublicKey().Equal(key) {
						t.Error("does not verify")
					}
				}
				if !schnorr.VerifyPrepared(key.Prepare(size), msg, sig) {
					t.Error("does not verify")
				}
			})
		}
		wg.Wait()
	}
}
