package batch_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// perRow runs f, which does n rows, until b.N rows are done, and reports the
// CPU time of a row beside the time that the clock shows, which other work on
// the machine lengthens.
func perRow(b *testing.B, n int, f func()) {
	b.ReportAllocs()
	b.ResetTimer()
	begin, done := cpuTime(), 0
	for ; done < b.N; done += n {
		f()
	}
	b.ReportMetric(float64(cpuTime()-begin)/float64(done), "cpu-ns/op")
	b.ReportMetric(float64(b.Elapsed())/float64(done), "ns/op")
}

// signedColumns are the rows of signedRows as columns.
type signedColumns struct {
	hashes, keys33, keys32, sigs, bip340, sig65 batch.Column
}

func columnsOf(n int) (c signedColumns) {
	for i := range n {
		r := &signedRows()[i%len(signedRows())]
		c.hashes.Data = append(c.hashes.Data, r.hash...)
		c.keys33.Data = r.key.AppendBytes(c.keys33.Data)
		c.keys32.Data = r.x.AppendBytes(c.keys32.Data)
		c.sigs.Data = r.ecdsa.AppendBytes(c.sigs.Data)
		c.bip340.Data = append(c.bip340.Data, r.bip340...)
		c.sig65.Data = append(c.sig65.Data, r.sig65...)
	}
	c.hashes.Stride, c.keys33.Stride, c.keys32.Stride = 32, 33, 32
	c.sigs.Stride, c.bip340.Stride, c.sig65.Stride = 64, 64, 65
	return c
}

var benchSizes = []int{1, 2, 3, 4, 8, 16, 32, 64, 256, 1024}

// BenchmarkVerify is the time of a row, with one worker, against one call for
// each row (the key parsed each time, as in a batch).
func BenchmarkVerify(b *testing.B) {
	one := batch.Workers(1)
	bg := context.Background()
	for _, n := range benchSizes {
		c, verdicts, dst := columnsOf(n), make([]batch.Verdict, n), make([]byte, 65*n)
		for name, f := range map[string]func() (int, error){
			"ecdsa": func() (int, error) {
				return batch.ECDSARows{Hashes: c.hashes, Keys: c.keys33, Signatures: c.sigs}.Verify(bg,
					verdicts, one)
			},
			"ecdsa, recovery ids": func() (int, error) {
				ids := batch.Column{Data: c.sig65.Data[64:], Stride: 65}
				return batch.ECDSARows{Hashes: c.hashes, Keys: c.keys33, Signatures: c.sigs,
					RecoveryIDs: ids}.Verify(bg, verdicts, one)
			},
			"schnorr": func() (int, error) {
				return batch.SchnorrRows{Messages: c.hashes, Keys: c.keys32, Signatures: c.bip340}.Verify(bg,
					verdicts, one)
			},
			"schnorr exact": func() (int, error) {
				return batch.SchnorrRows{Messages: c.hashes, Keys: c.keys32, Signatures: c.bip340}.Verify(bg,
					verdicts, one, batch.Exact())
			},
			"recover": func() (int, error) {
				return batch.RecoverRows{Hashes: c.hashes, Signatures: c.sig65}.Recover(bg, dst, verdicts, one)
			},
			"recover addresses": func() (int, error) {
				rows := batch.RecoverRows{Hashes: c.hashes, Signatures: c.sig65}
				return rows.EthereumAddresses(bg, dst[:20*n], verdicts, one)
			},
			"decompress": func() (int, error) {
				return batch.KeyRows{Keys: c.keys33}.Decompress(bg, dst, verdicts, one)
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				perRow(b, n, func() {
					if valid, err := f(); valid != n || err != nil {
						b.Fatal(valid, err)
					}
				})
			})
		}
	}
	c := columnsOf(1024)
	b.Run("ecdsa/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			key, _ := koblitz.NewPublicKey(c.keys33.Data[33*i : 33*i+33])
			sig, _ := ecdsa.ParseSignature(c.sigs.Data[64*i : 64*i+64])
			if !ecdsa.Verify(key, c.hashes.Data[32*i:32*i+32], sig) {
				b.Fatal("not valid")
			}
		})
	})
	b.Run("schnorr/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			key, _ := koblitz.NewXOnlyPublicKey(c.keys32.Data[32*i : 32*i+32])
			if !schnorr.Verify(key, c.hashes.Data[32*i:32*i+32], c.bip340.Data[64*i:64*i+64]) {
				b.Fatal("not valid")
			}
		})
	})
	b.Run("recover/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			if _, err := ecdsa.Recover(c.hashes.Data[32*i:32*i+32], c.sig65.Data[65*i:65*i+65]); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("decompress/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			if _, err := koblitz.NewPublicKey(c.keys33.Data[33*i : 33*i+33]); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// BenchmarkPrepared is the time of a row under one of 64 prepared keys of 26 KiB.
func BenchmarkPrepared(b *testing.B) {
	const n, keys = 1024, 64
	bg := context.Background()
	var set []*koblitz.PreparedKey
	var e, s, hashes batch.Column
	var indices []uint32
	secrets := make([]*koblitz.PrivateKey, keys)
	for i := range secrets {
		secrets[i] = koblitz.GenerateKey()
		set = append(set, secrets[i].PublicKey().Prepare(26<<10))
	}
	for i := range n {
		hash := signedRows()[i].hash
		sig, _ := ecdsa.Sign(secrets[i*37%keys], hash)
		bip340, _ := schnorr.Sign(secrets[i*37%keys], hash, nil, schnorr.Unchecked())
		hashes.Data = append(hashes.Data, hash...)
		e.Data = sig.AppendBytes(e.Data)
		s.Data = append(s.Data, bip340...)
		indices = append(indices, uint32(i*37%keys))
	}
	hashes.Stride, e.Stride, s.Stride = 32, 64, 64
	verdicts := make([]batch.Verdict, n)
	b.Run("ecdsa", func(b *testing.B) {
		perRow(b, n, func() {
			rows := batch.PreparedECDSARows{Hashes: hashes, Signatures: e, Keys: set, Indices: indices}
			if valid, err := rows.Verify(bg, verdicts, batch.Workers(1)); valid != n || err != nil {
				b.Fatal(valid, err)
			}
		})
	})
	b.Run("schnorr", func(b *testing.B) {
		perRow(b, n, func() {
			rows := batch.PreparedSchnorrRows{Messages: hashes, Signatures: s, Keys: set, Indices: indices}
			if valid, err := rows.Verify(bg, verdicts, batch.Workers(1)); valid != n || err != nil {
				b.Fatal(valid, err)
			}
		})
	})
	b.Run("ecdsa/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % n
			sig, _ := ecdsa.ParseSignature(e.Data[64*i : 64*i+64])
			if !ecdsa.VerifyPrepared(set[indices[i]], hashes.Data[32*i:32*i+32], sig) {
				b.Fatal("not valid")
			}
		})
	})
}

// BenchmarkCrafted is a batch of nothing but rows that a signer made so that the
// lanes cannot finish them: u1·G + u2·Q is infinity, and every row is done again
// alone. Beside it, the same rows one by one.
func BenchmarkCrafted(b *testing.B) {
	const n = 256
	r := rand.New(rand.NewPCG(28, 28))
	var c batch.ECDSARows
	for range n {
		d, u2 := inOrder(reference.RandInt(r)), inOrder(reference.RandInt(r))
		if d.Sign() == 0 || u2.Sign() == 0 {
			d, u2 = num(5), num(7)
		}
		rx := num(1 + int64(r.IntN(1000)))
		s := inOrder(new(big.Int).Mul(rx, new(big.Int).ModInverse(u2, curve.Order)))
		z := inOrder(new(big.Int).Neg(new(big.Int).Mul(rx, d))) // u1 = z/s = −d·u2
		k, _ := koblitz.NewPrivateKey(bytes32(d))
		c.Hashes.Data = append(c.Hashes.Data, bytes32(z)...)
		c.Keys.Data = k.PublicKey().AppendBytes(c.Keys.Data)
		c.Signatures.Data = append(append(c.Signatures.Data, bytes32(rx)...), bytes32(s)...)
	}
	c.Hashes.Stride, c.Keys.Stride, c.Signatures.Stride = 32, 33, 64
	verdicts := make([]batch.Verdict, n)
	b.Run("batch", func(b *testing.B) {
		perRow(b, n, func() {
			if valid, err := c.Verify(context.Background(), verdicts, batch.Workers(1)); valid != 0 ||
				err != nil {
				b.Fatal(valid, err)
			}
		})
	})
	b.Run("single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % n
			key, _ := koblitz.NewPublicKey(c.Keys.Data[33*i : 33*i+33])
			sig, _ := ecdsa.ParseSignature(c.Signatures.Data[64*i : 64*i+64])
			if ecdsa.Verify(key, c.Hashes.Data[32*i:32*i+32], sig) {
				b.Fatal("valid")
			}
		})
	})
}

// BenchmarkForged is a batch of nothing but bad signatures, by default and with Exact:
// the former is to take at most 1.2 times as long, since equations that do not hold
// are given up in time.
func BenchmarkForged(b *testing.B) {
	for _, n := range []int{64, 1024, 16384} {
		c, verdicts := columnsOf(n), make([]batch.Verdict, n)
		for i := range n {
			c.hashes.Data[32*i] ^= 1
		}
		rows := batch.SchnorrRows{Messages: c.hashes, Keys: c.keys32, Signatures: c.bip340}
		for name, opts := range map[string][]batch.SchnorrOption{
			"default": {batch.Workers(1)}, "exact": {batch.Workers(1), batch.Exact()},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				perRow(b, n, func() {
					if valid, err := rows.Verify(context.Background(), verdicts, opts...); valid != 0 ||
						err != nil {
						b.Fatal(valid, err)
					}
				})
			})
		}
	}
}
