package packed

import (
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify/verifytest"
)

// BenchmarkCheck measures the time per row of package verify for packed rows.
func BenchmarkCheck(b *testing.B) {
	const n = 100_000
	for _, f := range []Format{BIP340, ECDSA} {
		table := columnstest.Signed(b, f.Scheme, n)
		var data []byte
		for i := range n {
			for _, c := range table[1:] {
				data = append(data, c.Values[i]...)
			}
		}
		open := func(src reading.Source) reading.Reader { return NewReader(src, f) }
		b.Run(f.Name, func(b *testing.B) { verifytest.Benchmark(b, data, open) })
		for i := 0; i < len(data); i += f.Width() {
			data[i] ^= 1 // flips a bit of the signed hash or message
		}
		b.Run(f.Name+", all bad", func(b *testing.B) { verifytest.Benchmark(b, data, open) })
	}
}
