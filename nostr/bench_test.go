package nostr

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// BenchmarkVerify measures the time to parse and verify 1,000 events from their JSON on one thread:
// in a batch, one by one, and with go-nostr.
func BenchmarkVerify(b *testing.B) {
	all := texts(b, signedEvents(b, 1000))
	for _, bench := range []struct {
		name   string
		verify func() (valid int)
	}{
		{"batch", func() func() int {
			events := NewBatch(len(all), &batch.Options{Workers: 1})
			verdicts := make([]batch.Verdict, len(all))
			return func() int {
				events.Reset()
				for _, text := range all {
					events.Add(text)
				}
				valid, err := events.Verify(context.Background(), verdicts)
				if err != nil {
					b.Fatal(err)
				}
				return valid
			}
		}()},
		{"one by one", func() (valid int) {
			for _, text := range all {
				if _, err := verify(text); err == nil {
					valid++
				}
			}
			return valid
		}},
		{"go-nostr", func() (n int) {
			for _, text := range all {
				if _, valid := peerVerify(text); valid {
					n++
				}
			}
			return n
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := bench.verify(); n != len(all) {
					b.Fatalf("%d of %d valid", n, len(all))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/event")
		})
	}
}
