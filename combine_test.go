package koblitz_test

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestSortKeys checks that SortKeys orders keys by their encodings, with keys that differ in the
// first byte only, equal keys, nil keys and zero values.
func TestSortKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	keys := []*koblitz.PublicKey{nil, {}, nil, {}}
	for range 20 {
		k := reference.Must(koblitz.ParsePrivateKey(bytes32(secret(r)))).PublicKey()
		keys = append(keys, k, k.Negate(), reference.Must(koblitz.ParsePublicKey(k.Bytes())))
	}
	r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	want := make([][]byte, len(keys))
	for i, k := range keys {
		want[i] = k.Bytes()
	}
	slices.SortFunc(want, bytes.Compare)
	koblitz.SortKeys(keys)
	for i, k := range keys {
		if !bytes.Equal(k.Bytes(), want[i]) {
			t.Fatalf("key %d is %x, want %x", i, k.Bytes(), want[i])
		}
	}
	koblitz.SortKeys(nil)
}

// TestCombineKeys checks sums of keys against package reference, with repeated keys, and keys whose
// partial sums are infinity.
func TestCombineKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for n := 1; n <= 20; n++ {
		var keys []*koblitz.PublicKey
		sum := new(big.Int)
		add := func(d *big.Int) {
			keys = append(keys, reference.Must(koblitz.ParsePrivateKey(bytes32(d))).PublicKey())
			sum.Add(sum, d)
		}
		for i := range n {
			d := secret(r)
			add(d)
			switch i % 4 {
			case 1:
				add(d)
			case 2:
				add(new(big.Int).Sub(curve.Order, d))
			}
		}
		got, err := koblitz.CombineKeys(keys...)
		want := curve.ScalarMult(sum.Mod(sum, curve.Order), curve.G)
		if want.IsInfinity() {
			t.Fatal("the keys are not fit for this test")
		}
		if err != nil || !bytes.Equal(got.Bytes(), compressed(want)) {
			t.Errorf("the sum of %d keys is %v, %v, want %x", len(keys), got, err, compressed(want))
		}
		if got, err := koblitz.CombineKeys(append(keys, got.Negate())...); got != nil || err == nil {
			t.Errorf("the sum of %d keys and its negative is %v, %v", len(keys), got, err)
		}
		if allocs := testing.AllocsPerRun(5, func() { koblitz.CombineKeys(keys...) }); allocs > 1 {
			t.Errorf("%v allocations for %d keys", allocs, len(keys))
		}
	}
	k := reference.Must(koblitz.ParsePublicKey(compressed(reference.Secp256k1().G)))
	if got, err := koblitz.CombineKeys(); got != nil || err == nil {
		t.Errorf("the sum of no keys is %v, %v", got, err)
	}
	for _, zero := range []*koblitz.PublicKey{nil, {}} {
		got, err := koblitz.CombineKeys(k, zero)
		if got != nil || !errors.Is(err, koblitz.ErrZeroKey) {
			t.Errorf("the sum with no key is %v, %v", got, err)
		}
	}
}
