// Package verifytest measures how fast package verify verifies the rows of a reader.
package verifytest

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// Benchmark verifies the rows of data with two workers, and reports the time per row. open returns
// a reader of the data.
func Benchmark(b *testing.B, data []byte, open func(reading.Source) reading.Reader) {
	n := 0
	for b.Loop() {
		r := open(reading.Source{Name: "f", Reader: bytes.NewReader(data)})
		if err := verify.Answer(b.Context(), verify.Config{Workers: 2}, r,
			func(r *verify.Row) { n += r.Count },
			func(reading.Batch) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
	b.ReportMetric(0, "ns/op")
}
