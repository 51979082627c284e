package ethereum

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check/ratio"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// BenchmarkRatio measures the throughput of package check relative to package batch, on one real
// block that is repeated many times. The repetition does not make recovery faster.
func BenchmarkRatio(b *testing.B) {
	beacon, p := mainnet(b, "block_deneb.json")
	for _, form := range []struct {
		name string
		text []byte
		open func(rows.Source, Options) rows.Reader
	}{{"beacon", beacon, JSON}, {"JSON-RPC", p.rpc(b), JSON}, {"RLP", p.rlp(b), RLP}} {
		b.Run(form.name, func(b *testing.B) {
			ratio.Measure(b, bytes.Repeat(form.text, 60), func(src rows.Source) rows.Reader {
				return form.open(src, onMainnet)
			})
		})
	}
}
