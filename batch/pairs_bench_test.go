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

// A pairRow holds an ECDSA and a BIP-340 signature by a key that no other row has.
type pairRow struct{ key, x, hash, sig65, bip340 []byte }

func pairRows(b *testing.B, n int) []pairRow {
	rows := make([]pairRow, n)
	for i := range rows {
		k := koblitz.GenerateKey()
		r := &rows[i]
		r.key, r.x = k.PublicKey().Bytes(), k.XOnlyPublicKey().Bytes()
		r.hash = koblitz.GenerateKey().XOnlyPublicKey().Bytes()
		var err1, err2 error
		r.sig65, err1 = ecdsa.SignRecoverable(k, r.hash, nil)
		r.bip340, err2 = schnorr.Sign(k, r.hash, &schnorr.SignOptions{Unchecked: true})
		if err1 != nil || err2 != nil {
			b.Fatal(err1, err2)
		}
	}
	return rows
}

// BenchmarkExact verifies n rows one by one, without equations.
func BenchmarkExact(b *testing.B) {
	bg, exact := context.Background(), &batch.Options{Workers: 1, Exact: true}
	for _, n := range []int{8, 64, 1024} {
		var hashes, keys, xs, sigs, bip340 []byte
		for _, r := range pairRows(b, n) {
			hashes = append(hashes, r.hash...)
			keys = append(keys, r.key...)
			xs = append(xs, r.x...)
			sigs = append(sigs, r.sig65[:64]...)
			bip340 = append(bip340, r.bip340...)
		}
		verdicts := make([]batch.Verdict, n)
		e := batch.ECDSARows{Hashes: batch.Packed(hashes, 32),
			Keys:       batch.EncodedKeys(batch.Packed(keys, 33)),
			Signatures: batch.Packed(sigs, 64), S: batch.AnyS}
		s := batch.SchnorrRows{Messages: batch.Packed(hashes, 32),
			Keys:       batch.EncodedKeys(batch.Packed(xs, 32)),
			Signatures: batch.Packed(bip340, 64)}
		for name, verify := range map[string]func() (int, error){
			"ecdsa":   func() (int, error) { return e.Verify(bg, verdicts, exact) },
			"schnorr": func() (int, error) { return s.Verify(bg, verdicts, exact) },
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

// BenchmarkEquation adds n encoded rows to an accumulator and asks for one verdict on all.
func BenchmarkEquation(b *testing.B) {
	for _, n := range []int{64, 1024} {
		rows := pairRows(b, n)
		e, s := batch.NewECDSA(n, batch.AnyS, &batch.Options{Workers: 1}), batch.NewSchnorr(n,
			&batch.Options{Workers: 1})
		for name, good := range map[string]func() bool{
			"ecdsa": func() bool {
				e.Reset()
				for i := range rows {
					e.AddRecoverableBytes(rows[i].key, rows[i].hash, rows[i].sig65)
				}
				return verifyAll(e)
			},
			"schnorr": func() bool {
				s.Reset()
				for i := range rows {
					s.AddBytes(rows[i].x, rows[i].hash, rows[i].bip340)
				}
				return verifyAll(s)
			},
		} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				for b.Loop() {
					if !good() {
						b.Fatal("not valid")
					}
				}
			})
		}
	}
}
