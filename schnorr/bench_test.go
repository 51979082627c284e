package schnorr_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A row is one signature. Benchmarks use rows of many keys, so that caches do not make the results
// better than in practice.
type row struct {
	key      *koblitz.PrivateKey
	public   *koblitz.XOnlyPublicKey
	msg, sig []byte
}

var aux = make([]byte, 32)

func rows(b *testing.B) []row {
	out := make([]row, 256)
	for i := range out {
		r := &out[i]
		r.key = koblitz.GenerateKey()
		r.public = r.key.XOnlyPublicKey()
		h := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		r.msg = h[:]
		r.sig, _ = schnorr.Sign(r.key, r.msg, &schnorr.SignOptions{Aux: aux})
	}
	b.ReportAllocs()
	return out
}

func BenchmarkVerify(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if !schnorr.Verify(r.public, r.msg, r.sig) {
			b.Fatal("does not verify")
		}
	}
}

// BenchmarkVerifyPrepared measures verification under 64 prepared keys, whose tables do not all fit
// in the innermost cache.
func BenchmarkVerifyPrepared(b *testing.B) {
	for _, kib := range []int{0, 1, 2, 4, 8, 13, 26} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			rows := rows(b)[:64]
			keys := make([]*koblitz.PreparedKey, len(rows))
			for i := range keys {
				keys[i] = rows[i].public.Prepare(kib << 10)
			}
			for i := 0; b.Loop(); i++ {
				r := &rows[i%len(rows)]
				if !schnorr.VerifyPrepared(keys[i%len(rows)], r.msg, r.sig) {
					b.Fatal("does not verify")
				}
			}
		})
	}
}

func BenchmarkSign(b *testing.B) {
	rows := rows(b)
	var buf [64]byte
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := schnorr.AppendSign(buf[:0], r.key, r.msg,
			&schnorr.SignOptions{Aux: aux}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignUnchecked(b *testing.B) {
	rows := rows(b)
	var buf [64]byte
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := schnorr.AppendSign(buf[:0], r.key, r.msg,
			&schnorr.SignOptions{Aux: aux, Unchecked: true}); err != nil {
			b.Fatal(err)
		}
	}
}
