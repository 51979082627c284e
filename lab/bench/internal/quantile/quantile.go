// Package quantile computes quantiles of measurements.
package quantile

import (
	"math"
	"slices"
)

// Of returns the quantile q of x, for q from 0 to 1: the quantile 0.5 is the median. It
// interpolates linearly between two values (Hyndman and Fan, definition 7). It returns NaN if x is
// empty, and does not change x.
func Of(x []float64, q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	whole, part := math.Modf(q * float64(len(x)-1))
	i := int(whole)
	if part == 0 {
		return x[i]
	}
	return x[i] + part*(x[i+1]-x[i])
}

// Median returns the middle value of x, or the mean of the two middle values.
func Median(x []float64) float64 { return Of(x, 0.5) }
