package sums

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestChoose checks how choose counts short terms. A short term counts as half a full term, but as
// a full one in sums of at most WholeTerms terms. In the decision whether windows are used at all,
// a short term counts as one full term, or as two if all terms are short.
func TestChoose(t *testing.T) {
	defer func(p profile.Profile) { *profile.Current() = p }(*profile.Current())
	p := profile.Current()
	p.Sums.WholeTerms = 32
	for _, below := range []int{profile.InPairs, profile.Interleaved} {
		p.Plans = [20]profile.Plan{
			{Terms: 200, Method: 15}, {Terms: 54, Method: 21}, {Terms: 6, Method: below},
		}
		for _, tt := range []struct{ full, short, want int }{
			{0, 0, profile.Interleaved}, {5, 0, profile.Interleaved}, {0, 5, profile.Interleaved},
			{6, 0, below}, {3, 3, below}, {0, 6, below},
			{53, 0, below}, {54, 0, 21}, {0, 26, below}, {0, 27, 21}, {1, 26, below}, {1, 27, 21},
			{27, 26, below}, {27, 27, 21}, {52, 1, below}, {53, 1, 21},
			{0, 106, 21}, {0, 107, 21}, {0, 108, 21}, {0, 399, 21}, {0, 400, 15},
			{199, 1, 21}, {199, 2, 15}, {200, 0, 15}, {1000, 1000, 15},
		} {
			if got := choose(tt.full, tt.short); got != tt.want {
				t.Errorf("%d full and %d short terms: method %d, want %d", tt.full, tt.short, got, tt.want)
			}
		}
	}
	p.Plans = [20]profile.Plan{{Terms: 1, Method: profile.InLanes}}
	if got := choose(1, 1000); got != profile.InLanes {
		t.Errorf("in lanes alone: method %d", got)
	}
}
