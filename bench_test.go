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
