package koblitz_test

import (
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
)

// BenchmarkGenerateKey measures the generation of a key together with its public key.
func BenchmarkGenerateKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if koblitz.GenerateKey().PublicKey().IsZero() {
			b.Fatal("no key")
		}
	}
}

func publicKeys() (keys []*koblitz.PublicKey) {
	for range 64 {
		keys = append(keys, koblitz.GenerateKey().PublicKey())
	}
	return keys
}

func BenchmarkParsePublicKey(b *testing.B) {
	for _, form := range []struct {
		name  string
		bytes func(*koblitz.PublicKey) []byte
	}{
		{"Compressed", (*koblitz.PublicKey).Bytes},
		{"Uncompressed", (*koblitz.PublicKey).UncompressedBytes},
	} {
		b.Run(form.name, func(b *testing.B) {
			var encodings [][]byte
			for _, k := range publicKeys() {
				encodings = append(encodings, form.bytes(k))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := koblitz.ParsePublicKey(encodings[i%len(encodings)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTweakAdd(b *testing.B) {
	keys := publicKeys()
	tweak := koblitz.GenerateKey().Bytes()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := keys[i%len(keys)].TweakAdd(tweak); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTaprootTweak(b *testing.B) {
	keys := publicKeys()
	root := koblitz.GenerateKey().Bytes()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := keys[i%len(keys)].XOnlyPublicKey().TaprootTweak(root); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckTaprootTweak(b *testing.B) {
	root := koblitz.GenerateKey().Bytes()
	var internal []*koblitz.XOnlyPublicKey
	var outputs [][]byte
	var odd []bool
	for _, k := range publicKeys() {
		x := k.XOnlyPublicKey()
		output, err := x.TaprootTweak(root)
		if err != nil {
			b.Fatal(err)
		}
		internal = append(internal, x)
		outputs = append(outputs, output.XOnlyPublicKey().Bytes())
		odd = append(odd, !output.HasEvenY())
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if j := i % len(internal); !internal[j].CheckTaprootTweak(root, outputs[j], odd[j]) {
			b.Fatal("false")
		}
	}
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
