package ethereum

import (
	"io"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// BenchmarkRead measures reading a real block in three forms, without verifying its signatures.
func BenchmarkRead(b *testing.B) {
	beacon, p := mainnet(b, "block_deneb.json")
	for _, form := range []struct {
		name string
		text []byte
		open func(rows.Source, Options) rows.Reader
	}{{"beacon", beacon, JSON}, {"JSON-RPC", p.rpc(b), JSON}, {"RLP", p.rlp(b), RLP}} {
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
					batch.Expand(func(u *rows.Unit) { n += len(u.Signatures) })
				}
				if n != len(p.txs) {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(p.txs)), "µs/tx")
		})
	}
}
