package wnaf

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestDigits(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1))
	for w := uint(2); w <= 15; w++ {
		for i := range 500 {
			k := new(big.Int).And(reference.RandInt(r), mask)
			switch i {
			case 0:
				k.SetInt64(0)
			case 1:
				k.Set(mask)
			case 2:
				k.Sub(mask, big.NewInt(1<<14))
			}
			hi := new(big.Int).Rsh(k, 64).Uint64()
			lo := new(big.Int).And(k, new(big.Int).SetUint64(1<<64-1)).Uint64()
			sum, last := new(big.Int), -int(w)
			var naf [MaxDigits]Digit
			for _, d := range naf[:Digits(&naf, hi, lo, w)] {
				if d.Value&1 == 0 || d.Value >= 1<<(w-1) || d.Value <= -1<<(w-1) {
					t.Fatalf("w = %d: digit %d of %x", w, d.Value, k)
				}
				if int(d.Position)-last < int(w) || d.Position >= Positions {
					t.Fatalf("w = %d: position %d after %d", w, d.Position, last)
				}
				last = int(d.Position)
				x := big.NewInt(int64(d.Value))
				sum.Add(sum, x.Lsh(x, uint(d.Position)))
			}
			if sum.Cmp(k) != 0 {
				t.Fatalf("w = %d: digits of %x sum to %x", w, k, sum)
			}
		}
	}
}
