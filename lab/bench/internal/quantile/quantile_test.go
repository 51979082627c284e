package quantile

import (
	"math"
	"slices"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		x       []float64
		q, want float64
	}{
		{[]float64{7}, 0, 7}, {[]float64{7}, 0.5, 7}, {[]float64{7}, 1, 7},
		{[]float64{3, 1, 2}, 0.5, 2}, {[]float64{4, 1, 3, 2}, 0.5, 2.5},
		{[]float64{5, 4, 3, 2, 1}, 0.25, 2}, {[]float64{5, 4, 3, 2, 1}, 0.75, 4},
		{[]float64{1, 2, 3, 4}, 0.25, 1.75}, {[]float64{1, 2, 3, 4}, 0.75, 3.25},
		{[]float64{1, 2, 3, 4}, 0, 1}, {[]float64{1, 2, 3, 4}, 1, 4},
	} {
		before := slices.Clone(c.x)
		if got := Of(c.x, c.q); got != c.want {
			t.Errorf("%v of %v is %v, want %v", c.q, c.x, got, c.want)
		}
		if !slices.Equal(c.x, before) {
			t.Errorf("Of sorted its argument %v", before)
		}
	}
	if got := Of(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("the median of nothing is %v", got)
	}
	if got := Median([]float64{2, 9, 4}); got != 4 {
		t.Errorf("median %v, want 4", got)
	}
}
