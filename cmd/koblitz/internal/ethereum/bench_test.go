package ethereum

import (
	"bytes"
	"io"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify/verifytest"
)

// A benchForm is a real block in one of the forms in which it is read.
type benchForm struct {
	name string
	text []byte
	open func(reading.Source, Options) reading.Reader
}

// benchForms returns a real block in two forms, and its transactions.
func benchForms(b *testing.B) ([]benchForm, payload) {
	p := mainnet(b, 19431837)
	return []benchForm{
		{"JSON-RPC", p.rpc(b), JSON}, {"RLP", p.rlp(b), RLP},
	}, p
}

// BenchmarkRead measures reading a real block in two forms, without verifying its signatures.
func BenchmarkRead(b *testing.B) {
	forms, p := benchForms(b)
	for _, form := range forms {
		b.Run(form.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(form.text)))
			for b.Loop() {
				r := form.open(source("f", form.text), onMainnet)
				n := 0
				for {
					batch, err := r.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					batch.Expand(func(u *reading.Unit) { n += len(u.Signatures) })
				}
				if n != len(p.txs) {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(p.txs)), "µs/tx")
		})
	}
}

// BenchmarkCheck measures the time per row of package verify, on one real block that is repeated
// many times. The repetition does not make recovery faster.
func BenchmarkCheck(b *testing.B) {
	forms, _ := benchForms(b)
	for _, form := range forms {
		b.Run(form.name, func(b *testing.B) {
			verifytest.Benchmark(b, bytes.Repeat(form.text, 60), func(src reading.Source) reading.Reader {
				return form.open(src, onMainnet)
			})
		})
	}
}
