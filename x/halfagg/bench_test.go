package halfagg_test

import (
	"context"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/halfagg"
)

// signed returns n statements, and signatures on them by different keys.
func signed(t testing.TB, n int) (statements []halfagg.Statement, signatures [][64]byte) {
	t.Helper()
	statements, signatures = make([]halfagg.Statement, n), make([][64]byte, n)
	for i := range statements {
		k, err := koblitz.ParsePrivateKey([]byte{29: byte(i >> 8), 30: byte(i), 31: 1})
		if err != nil {
			t.Fatal(err)
		}
		s := &statements[i]
		s.Key = [32]byte(k.XOnlyPublicKey().Bytes())
		s.Message = [32]byte{0: byte(i), 1: byte(i >> 8), 31: 7}
		sig, err := schnorr.Sign(k, s.Message[:], nil)
		if err != nil {
			t.Fatal(err)
		}
		signatures[i] = [64]byte(sig)
	}
	return statements, signatures
}

func BenchmarkVerifyAggregate(b *testing.B) {
	statements, signatures := signed(b, 1024)
	aggregate, err := halfagg.Aggregate(statements, signatures)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := halfagg.VerifyAggregate(aggregate, statements); err != nil {
			b.Fatal(err)
		}
	}
}

// 128 aggregates of 8 signatures each, together and one by one.
func BenchmarkVerifyEach(b *testing.B) {
	all := claims(b, 8)
	for len(all) < 128 {
		all = append(all, all[0])
	}
	verdicts := make([]batch.Verdict, len(all))
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			n, err := halfagg.VerifyEach(context.Background(), all, verdicts, 1)
			if n != len(all) || err != nil {
				b.Fatal(n, err)
			}
		}
	})
	b.Run("single", func(b *testing.B) {
		for b.Loop() {
			for i := range all {
				if err := halfagg.VerifyAggregate(all[i].Aggregate, all[i].Statements); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
