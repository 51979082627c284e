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

// perRow runs f, which verifies n rows, until b.N rows are done. It reports the elapsed time per
// row and the CPU time per row. Other work on the machine lengthens the elapsed time and not the
// CPU time.
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

// signedColumns holds the rows of signedRows as columns, and the bytes that the columns refer to.
type signedColumns struct {
	hashes, keys33, keys32, sigs, bip340, sig65 []byte

	ecdsa   batch.ECDSARows
	ids     batch.Column
	schnorr batch.SchnorrRows
	recover batch.RecoverRows
	keys    batch.KeyRows
}

func columnsOf(n int) (c signedColumns) {
	for i := range n {
		r := &signedRows()[i%len(signedRows())]
		c.hashes = append(c.hashes, r.hash...)
		c.keys33 = r.key.AppendBytes(c.keys33)
		c.keys32 = r.x.AppendBytes(c.keys32)
		c.sigs = r.ecdsa.AppendBytes(c.sigs)
		c.bip340 = append(c.bip340, r.bip340...)
		c.sig65 = append(c.sig65, r.sig65...)
	}
	hashes, keys33 := batch.Packed(c.hashes, 32), batch.Packed(c.keys33, 33)
	c.ecdsa = batch.ECDSARows{Hashes: hashes, Keys: batch.EncodedKeys(keys33),
		Signatures: batch.Packed(c.sigs, 64), S: batch.AnyS}
	c.ids = batch.Strided(c.sig65[64:], 1, 65)
	c.schnorr = batch.SchnorrRows{Messages: hashes,
		Keys:       batch.EncodedKeys(batch.Packed(c.keys32, 32)),
		Signatures: batch.Packed(c.bip340, 64)}
	c.recover = batch.RecoverRows{Hashes: hashes, Signatures: batch.Packed(c.sig65, 65),
		S: batch.AnyS}
	c.keys = batch.KeyRows{Keys: keys33}
	return c
}

var benchSizes = []int{1, 2, 3, 4, 8, 16, 32, 64, 256, 1024}

// BenchmarkVerify measures the time per row of batches with one worker, and of single calls that
// also parse the key each time.
func BenchmarkVerify(b *testing.B) {
	one, exact := &batch.Options{Workers: 1}, &batch.Options{Workers: 1, Exact: true}
	bg := context.Background()
	for _, n := range benchSizes {
		c, verdicts, dst := columnsOf(n), make([]batch.Verdict, n), make([]byte, 65*n)
		for name, f := range map[string]func() (int, error){
			"ecdsa": func() (int, error) {
				return c.ecdsa.Verify(bg, verdicts, one)
			},
			"ecdsa, recovery ids": func() (int, error) {
				rows := c.ecdsa
				rows.RecoveryIDs = c.ids
				return rows.Verify(bg, verdicts, one)
			},
			"schnorr": func() (int, error) {
				return c.schnorr.Verify(bg, verdicts, one)
			},
			"schnorr exact": func() (int, error) {
				return c.schnorr.Verify(bg, verdicts, exact)
			},
			"recover": func() (int, error) {
				return c.recover.Recover(bg, dst, verdicts, one)
			},
			"recover addresses": func() (int, error) {
				return c.recover.EthereumAddresses(bg, dst[:20*n], verdicts, one)
			},
			"decompress": func() (int, error) {
				return c.keys.Decompress(bg, dst, verdicts, one)
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
			key, _ := koblitz.ParsePublicKey(c.keys33[33*i : 33*i+33])
			sig, _ := ecdsa.ParseSignature(c.sigs[64*i : 64*i+64])
			if !ecdsa.Verify(key, c.hashes[32*i:32*i+32], sig) {
				b.Fatal("not valid")
			}
		})
	})
	b.Run("schnorr/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			key, _ := koblitz.ParseXOnlyPublicKey(c.keys32[32*i : 32*i+32])
			if !schnorr.Verify(key, c.hashes[32*i:32*i+32], c.bip340[64*i:64*i+64]) {
				b.Fatal("not valid")
			}
		})
	})
	b.Run("recover/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			if _, err := ecdsa.Recover(c.hashes[32*i:32*i+32], c.sig65[65*i:65*i+65]); err != nil {
				b.Fatal(err)
			}
		})
	})
	b.Run("decompress/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % 1024
			if _, err := koblitz.ParsePublicKey(c.keys33[33*i : 33*i+33]); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// BenchmarkPrepared measures the time per row with 64 prepared keys of 26 KiB each.
func BenchmarkPrepared(b *testing.B) {
	const n, keys = 1024, 64
	bg := context.Background()
	var set []*koblitz.PreparedKey
	var e, s, hashes []byte
	var indices []uint32
	secrets := make([]*koblitz.PrivateKey, keys)
	for i := range secrets {
		secrets[i] = koblitz.GenerateKey()
		set = append(set, secrets[i].PublicKey().Prepare(26<<10))
	}
	for i := range n {
		hash := signedRows()[i].hash
		sig, _ := ecdsa.Sign(secrets[i*37%keys], hash, nil)
		bip340, _ := schnorr.Sign(secrets[i*37%keys], hash, &schnorr.SignOptions{Unchecked: true})
		hashes = append(hashes, hash...)
		e = sig.AppendBytes(e)
		s = append(s, bip340...)
		indices = append(indices, uint32(i*37%keys))
	}
	verdicts := make([]batch.Verdict, n)
	b.Run("ecdsa", func(b *testing.B) {
		perRow(b, n, func() {
			rows := batch.ECDSARows{Hashes: batch.Packed(hashes, 32),
				Signatures: batch.Packed(e, 64), Keys: batch.PreparedKeys(set, indices), S: batch.AnyS}
			if valid, err := rows.Verify(bg, verdicts,
				&batch.Options{Workers: 1}); valid != n || err != nil {
				b.Fatal(valid, err)
			}
		})
	})
	b.Run("schnorr", func(b *testing.B) {
		perRow(b, n, func() {
			rows := batch.SchnorrRows{Messages: batch.Packed(hashes, 32),
				Signatures: batch.Packed(s, 64), Keys: batch.PreparedKeys(set, indices)}
			if valid, err := rows.Verify(bg, verdicts,
				&batch.Options{Workers: 1}); valid != n || err != nil {
				b.Fatal(valid, err)
			}
		})
	})
	b.Run("ecdsa/single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % n
			sig, _ := ecdsa.ParseSignature(e[64*i : 64*i+64])
			if !ecdsa.VerifyPrepared(set[indices[i]], hashes[32*i:32*i+32], sig) {
				b.Fatal("not valid")
			}
		})
	})
}

// BenchmarkCrafted measures a batch of crafted rows, in which u1·G + u2·Q is infinity, which is an
// exceptional case in lanes. It compares the batch with single calls for the same rows.
func BenchmarkCrafted(b *testing.B) {
	const n = 256
	r := rand.New(rand.NewPCG(28, 28))
	var hashes, keys, sigs []byte
	for range n {
		d, u2 := inOrder(reference.RandInt(r)), inOrder(reference.RandInt(r))
		if d.Sign() == 0 || u2.Sign() == 0 {
			d, u2 = num(5), num(7)
		}
		rx := num(1 + int64(r.IntN(1000)))
		s := inOrder(new(big.Int).Mul(rx, new(big.Int).ModInverse(u2, curve.Order)))
		z := inOrder(new(big.Int).Neg(new(big.Int).Mul(rx, d))) // so u1 = z/s = −d·u2
		k, _ := koblitz.ParsePrivateKey(bytes32(d))
		hashes = append(hashes, bytes32(z)...)
		keys = k.PublicKey().AppendBytes(keys)
		sigs = append(append(sigs, bytes32(rx)...), bytes32(s)...)
	}
	c := batch.ECDSARows{Hashes: batch.Packed(hashes, 32),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 33)),
		Signatures: batch.Packed(sigs, 64), S: batch.AnyS}
	verdicts := make([]batch.Verdict, n)
	b.Run("batch", func(b *testing.B) {
		perRow(b, n, func() {
			if valid, err := c.Verify(context.Background(), verdicts,
				&batch.Options{Workers: 1}); valid != 0 ||
				err != nil {
				b.Fatal(valid, err)
			}
		})
	})
	b.Run("single", func(b *testing.B) {
		i := 0
		perRow(b, 1, func() {
			i = (i + 1) % n
			key, _ := koblitz.ParsePublicKey(keys[33*i : 33*i+33])
			sig, _ := ecdsa.ParseSignature(sigs[64*i : 64*i+64])
			if ecdsa.Verify(key, hashes[32*i:32*i+32], sig) {
				b.Fatal("valid")
			}
		})
	})
}

// BenchmarkForged measures batches of only invalid signatures, with the zero Options and with
// Exact. Without Exact they should take at most 1.2 times as long, because a batch whose equations
// fail soon stops trying equations.
func BenchmarkForged(b *testing.B) {
	for _, n := range []int{64, 1024, 16384} {
		c, verdicts := columnsOf(n), make([]batch.Verdict, n)
		for i := range n {
			c.hashes[32*i] ^= 1
		}
		rows := c.schnorr
		for name, o := range map[string]*batch.Options{
			"default": {Workers: 1}, "exact": {Workers: 1, Exact: true},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				perRow(b, n, func() {
					if valid, err := rows.Verify(context.Background(), verdicts, o); valid != 0 ||
						err != nil {
						b.Fatal(valid, err)
					}
				})
			})
		}
	}
}
