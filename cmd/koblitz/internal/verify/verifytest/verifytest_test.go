package verifytest

import (
	"flag"
	"io"
	"math"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A decided reader returns one batch, with one unit, and then io.EOF.
type decided struct {
	reading.Part
	unit reading.Unit
	read bool
}

func (d *decided) Next() (reading.Batch, error) {
	if d.read {
		return nil, io.EOF
	}
	d.read = true
	return d, nil
}

func (d *decided) Expand(emit func(*reading.Unit)) { emit(&d.unit) }
func (d *decided) Close() error                    { return nil }

// TestBenchmark checks that each signature of an input counts as a row if the reader has decided
// the verdict.
func TestBenchmark(t *testing.T) {
	defer flag.Set("test.benchtime", flag.Lookup("test.benchtime").Value.String())
	if err := flag.Set("test.benchtime", "10x"); err != nil {
		t.Fatal(err)
	}
	r := testing.Benchmark(func(b *testing.B) {
		Benchmark(b, nil, func(reading.Source) reading.Reader {
			return &decided{unit: reading.Unit{Decided: reading.Malformed,
				Signatures: make([]reading.Signature, 5)}}
		})
	})
	rows := float64(r.T.Nanoseconds()) / float64(r.N) / r.Extra["ns/row"]
	if math.Abs(rows-5) > 0.5 {
		t.Errorf("%v rows an iteration, want 5", rows)
	}
}
