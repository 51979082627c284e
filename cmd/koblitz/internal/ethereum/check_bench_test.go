package ethereum

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check/checktest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// BenchmarkCheck measures the time per row of package check, on one real block that is repeated
// many times. The repetition does not make recovery faster.
func BenchmarkCheck(b *testing.B) {
	beacon, p := mainnet(b, "block_deneb.json")
	for _, form := range []struct {
		name string
		text []byte
		open func(rows.Source, Options) rows.Reader
	}{{"beacon", beacon, JSON}, {"JSON-RPC", p.rpc(b), JSON}, {"RLP", p.rlp(b), RLP}} {
		b.Run(form.name, func(b *testing.B) {
			checktest.Benchmark(b, bytes.Repeat(form.text, 60), func(src rows.Source) rows.Reader {
				return form.open(src, onMainnet)
			})
		})
	}
}
