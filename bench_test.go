package koblitz_test

import (
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
)

func publicKeys() (keys []*koblitz.PublicKey) {
	for range 64 {
		keys = append(keys, koblitz.GenerateKey().PublicKey())
	}
	return keys
}

func BenchmarkCombineKeys(b *testing.B) {
	keys := publicKeys()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := koblitz.CombineKeys(keys...); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepare(b *testing.B) {
	keys := publicKeys()
	for _, kib := range []int{1, 2, 4, 8, 13, 26} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if keys[i%len(keys)].Prepare(kib<<10).Size() != kib<<10 {
					b.Fatal("another size")
				}
			}
		})
	}
}
