// Package verifytest measures how fast package verify verifies the rows of a reader.
package verifytest

//ci:untested The benchmarks of readers run it.

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// Benchmark verifies the rows of data with two workers, and reports the time per row. open returns
// a reader of the data.
func Benchmark(b *testing.B, data []byte, open func(reading.Source) reading.Reader) {
	var n int64
	for b.Loop() {
		r := open(reading.Source{Name: "f", Reader: bytes.NewReader(data)})
		input := func(yield func(reading.Reader, error) bool) { yield(r, nil) }
		t := verify.Run(b.Context(), verify.Config{Workers: 2}, input, reporter{b: b})
		n += t.Rows()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
	b.ReportMetric(0, "ns/op")
}

// A reporter fails the benchmark at an error.
type reporter struct {
	verify.Reporter
	b *testing.B
}

func (r reporter) Unreadable(err error)         { r.b.Fatal(err) }
func (r reporter) Fault(err error)              { r.b.Fatal(err) }
func (reporter) Progress(*verify.Counts, int64) {}
