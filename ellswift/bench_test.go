package ellswift_test

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ellswift"
)

// inputs returns random encodings: enough that branch predictors do not learn them.
func inputs() (all [256][]byte) {
	r := rand.NewChaCha8([32]byte{})
	for i := range all {
		all[i] = make([]byte, 64)
		r.Read(all[i])
	}
	return all
}

func BenchmarkEncode(b *testing.B) {
	key, in := koblitz.GenerateKey().PublicKey(), inputs()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := ellswift.Encode(key, in[i%len(in)][:32]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	in := inputs()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := ellswift.Decode(in[i%len(in)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSharedSecret(b *testing.B) {
	key, in := koblitz.GenerateKey(), inputs()
	ours, room := in[0], make([]byte, 0, 32)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := ellswift.AppendSharedSecret(room, key, ours, in[i%len(in)], true); err != nil {
			b.Fatal(err)
		}
	}
}
