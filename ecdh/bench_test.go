package ecdh_test

import (
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
)

func BenchmarkSharedSHA256(b *testing.B) {
	key := koblitz.GenerateKey()
	peers := make([]*koblitz.PublicKey, 64)
	for i := range peers {
		peers[i] = koblitz.GenerateKey().PublicKey()
	}
	var buf [32]byte
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := ecdh.AppendSharedSHA256(buf[:0], key, peers[i%len(peers)]); err != nil {
			b.Fatal(err)
		}
	}
}
