package bitcoin

import (
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// BenchmarkRawBlock measures parsing the sample block, without verifying its signatures.
func BenchmarkRawBlock(b *testing.B) {
	block := bitcointest.Unpack(b, sample.Block)
	spent := bitcointest.Unpack(b, sample.Spent)
	b.ReportAllocs()
	b.SetBytes(int64(len(block)))
	n := 0
	for b.Loop() {
		r := RawBlock(source("block", block), false, readSpent(b, spent), onMainnet)
		for {
			batch, err := r.Next()
			if err != nil {
				break
			}
			batch.Expand(func(*reading.Unit) { n++ })
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/input")
}
