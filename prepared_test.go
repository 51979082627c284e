package koblitz_test

import (
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestPrepare(t *testing.T) {
	even := reference.Must(koblitz.ParsePublicKey(compressed(curve.G)))
	odd := even.Negate()
	for _, test := range []struct{ maxBytes, size int }{
		{-1 << 31, 0}, {-1, 0}, {0, 0}, {1023, 0},
		{1024, 1024}, {2047, 1024}, {2048, 2048}, {4095, 2048}, {4096, 4096}, {8191, 4096}, {8192, 8192},
		{13311, 8192}, {13312, 13312}, {26623, 13312}, {26624, 26624}, {1<<31 - 1, 26624},
	} {
		for _, k := range []struct {
			prepared *koblitz.PreparedKey
			want     *koblitz.PublicKey
		}{
			{even.Prepare(test.maxBytes), even}, {odd.Prepare(test.maxBytes), odd},
			{even.XOnlyPublicKey().Prepare(test.maxBytes),
				even}, {odd.XOnlyPublicKey().Prepare(test.maxBytes), even},
		} {
			if got := k.prepared.Size(); got != test.size {
				t.Errorf("at most %d bytes: %d, want %d", test.maxBytes, got, test.size)
			}
			if k.prepared.IsZero() || !k.prepared.PublicKey().Equal(k.want) {
				t.Errorf("the prepared key is %v, want %v", k.prepared.PublicKey(), k.want)
			}
			if got := fmt.Sprint(k.prepared, *k.prepared); got != k.want.String()+" "+k.want.String() {
				t.Errorf("printed as %s", got)
			}
		}
	}
}

// TestZeroPreparedKey checks that a key that is missing is missing after Prepare.
func TestZeroPreparedKey(t *testing.T) {
	for _, zero := range []*koblitz.PreparedKey{
		(*koblitz.PublicKey)(nil).Prepare(1 << 20), new(koblitz.PublicKey).Prepare(1 << 20),
		(*koblitz.XOnlyPublicKey)(nil).Prepare(1 << 20), new(koblitz.XOnlyPublicKey).Prepare(1 << 20),
	} {
		if !zero.IsZero() || zero.PublicKey() != nil || zero.Size() != 0 {
			t.Error("a zero value is a key")
		}
	}
}
