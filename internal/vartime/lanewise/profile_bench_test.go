package lanewise

import (
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile/profiletest"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// BenchmarkProfileDivisions measures Divisions of the profile: the time of divisions in lanes, in
// percent of the time without lanes. It is skipped on CPUs without lanes.
func BenchmarkProfileDivisions(b *testing.B) {
	cputest.Need(b, cputest.LanesAVX2)
	const most, rounds = 64, 20
	r := rand.New(rand.NewSource(8))
	var from [3][most]scalar.Scalar
	for k := range from {
		for i := range from[k] {
			from[k][i] = *vartimetest.Scalar(reference.RandInt(r))
		}
	}
	divisions := profiletest.Named("Divisions")
	scratch := make([]lanes.Scalar, lanes.DivideScratch(most))
	for _, n := range []int{4, 8, 12, 16, 20, 24, 28, 32, 48, most} {
		way := func(divide func(a, b, s []scalar.Scalar)) func() {
			return func() {
				for range rounds {
					x := from
					divide(x[0][:n], x[1][:n], x[2][:n])
				}
			}
		}
		divisions.Threshold(b, n, nil,
			way(func(a, b, s []scalar.Scalar) { Divide(a, b, s, make([]scalar.Scalar, n)) }),
			way(func(a, b, s []scalar.Scalar) { lanes.DivideScalars(a, b, s, scratch) }))
	}
}
