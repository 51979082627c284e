package schnorr

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestParseRanges checks that parse refuses a signature if one of its halves is out of range. It
// calls parse because the verdicts of Verify do not show whether the ranges are checked: no known
// method makes a signature that is valid except for a half that is out of range.
func TestParseRanges(t *testing.T) {
	var g point.Affine
	g.SetGenerator()
	p, n, one := reference.P(), reference.N(), big.NewInt(1)
	for _, rx := range append(reference.EdgeInts(), new(big.Int).Add(p, one)) {
		for _, sv := range []*big.Int{
			new(big.Int), one, new(big.Int).Sub(n, one), n, new(big.Int).Add(n, one), p,
		} {
			var sig [64]byte
			rx.FillBytes(sig[:32])
			sv.FillBytes(sig[32:])
			var x field.Element
			var s, e scalar.Scalar
			got := parse(&x, &s, &e, &g, nil, &sig)
			if want := rx.Cmp(p) < 0 && sv.Cmp(n) < 0; got != want {
				t.Errorf("parse(%x) = %v, want %v", sig, got, want)
			}
		}
	}
}
