package batch_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A pairRow is a row with a key of its own.
type pairRow struct{ key, x, hash, sig65, bip340 []byte }

func pairRows(b *testing.B, n int) []pairRow {
	rows := make([]pairRow, n)
	for i := range rows {
		k := koblitz.GenerateKey()
		r := &rows[i]
		r.key, r.x = k.PublicKey().Bytes(), k.XOnlyPublicKey().Bytes()
		r.hash = koblitz.GenerateKey().XOnlyPublicKey().Bytes()
		var err1, err2 error
		r.sig65, err1 = ecdsa.SignRecoverable(k, r.hash)
		r.bip340, err2 = schnorr.SignUnchecked(k, r.hash, nil)
		if err1 != nil || err2 != nil {
			b.Fatal(err1, err2)
		}
	}
	return rows
}

// BenchmarkExact verifies n rows without an equation, and reuses memory.
func BenchmarkExact(b *testing.B) {
	bg, one := context.Background(), batch.Workers(1)
	for _, n := range []int{8, 64, 1024} {
		var hashes, keys, xs, sigs, bip340 batch.Column
		for _, r := range pairRows(b, n) {
			hashes.Data = append(hashes.Data, r.hash...)
			keys.Data = append(keys.Data, r.key...)
			xs.Data = append(xs.Data, r.x...)
			sigs.Data = append(sigs.Data, r.sig65[:64]...)
			bip340.Data = append(bip340.Data, r.bip340...)
		}
		hashes.Stride, keys.Stride, xs.Stride, sigs.Stride, bip340.Stride = 32, 33, 32, 64, 64
		verdicts, reuse := make([]batch.Verdict, n), batch.Reuse(new(batch.Memory))
		e := batch.ECDSARows{Hashes: hashes, Keys: keys, Signatures: sigs}
		s := batch.SchnorrRows{Messages: hashes, Keys: xs, Signatures: bip340}
		for name, verify := range map[string]func() (int, error){
			"ecdsa":   func() (int, error) { return e.Verify(bg, verdicts, one, reuse) },
			"schnorr": func() (int, error) { return s.Verify(bg, verdicts, one, reuse) },
		} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					if valid, err := verify(); valid != n || err != nil {
						b.Fatal(valid, err)
					}
				}
			})
		}
	}
}

// BenchmarkEquation adds n encoded rows to an accumulator and verifies all of them at once. It
// reuses memory.
func BenchmarkEquation(b *testing.B) {
	for _, n := range []int{64, 1024} {
		rows := pairRows(b, n)
		e, s := batch.NewECDSA(n, batch.Workers(1)), batch.NewSchnorr(n, batch.Workers(1))
		for name, verify := range map[string]func() bool{
			"ecdsa": func() bool {
				e.Reset()
				for i := range rows {
					e.AddRecoverableBytes(rows[i].key, rows[i].hash, rows[i].sig65)
				}
				return e.Verify()
			},
			"schnorr": func() bool {
				s.Reset()
				for i := range rows {
					s.AddBytes(rows[i].x, rows[i].hash, rows[i].bip340)
				}
				return s.Verify()
			},
		} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					if !verify() {
						b.Fatal("not valid")
					}
				}
			})
		}
	}
}
