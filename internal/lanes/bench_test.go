package lanes

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/scalar"
)

// perLane reports what one lane takes.
func perLane(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Width, "ns/lane")
}

func BenchmarkSplitOdd(b *testing.B) {
	r := random(b)
	var k [Width]scalar.Scalar
	for j := range k {
		k[j].SetLimbs(&[4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
	}
	var b1, b2 [3]Vector
	for b.Loop() {
		SplitOdd(&b1, &b2, &k, 130)
	}
	perLane(b)
}
