package ethereum

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify/verifytest"
)

// BenchmarkCheck measures the time per row of package verify, on one real block that is repeated
// many times. The repetition does not make recovery faster.
func BenchmarkCheck(b *testing.B) {
	p := mainnet(b, 19431837)
	b.Run("JSON-RPC", func(b *testing.B) { benchmark(b, p.rpc(), JSON) })
	b.Run("RLP", func(b *testing.B) { benchmark(b, p.rlp(), RLP) })
}

func benchmark(b *testing.B, text []byte,
	open func(reading.Source, Options) reading.Reader) {
	verifytest.Benchmark(b, bytes.Repeat(text, 60), func(src reading.Source) reading.Reader {
		return open(src, onMainnet)
	})
}
