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
	prepared *koblitz.PreparedKey // of the size for which the rows are made
	msg, sig []byte
}

var aux = make([]byte, 32)

// bench measures f, which returns false if it fails, with n rows and prepared keys of a size.
func bench(b *testing.B, n, size int, f func(r *row) bool) {
	rows := make([]row, n)
	for i := range rows {
		r := &rows[i]
		r.key = koblitz.GenerateKey()
		r.public = r.key.XOnlyPublicKey()
		r.prepared = r.public.Prepare(size)
		h := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		r.msg = h[:]
		r.sig, _ = schnorr.Sign(r.key, r.msg, &schnorr.SignOptions{Aux: aux})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if !f(&rows[i%n]) {
			b.Fatal("it fails")
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	bench(b, 256, 0, func(r *row) bool { return schnorr.Verify(r.public, r.msg, r.sig) })
}

// BenchmarkVerifyPrepared measures verification under 64 prepared keys, whose tables do not all fit
// in the innermost cache.
func BenchmarkVerifyPrepared(b *testing.B) {
	for _, kib := range []int{0, 1, 2, 4, 8, 13, 26} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			bench(b, 64, kib<<10, func(r *row) bool {
				return schnorr.VerifyPrepared(r.prepared, r.msg, r.sig)
			})
		})
	}
}

func BenchmarkSign(b *testing.B) {
	var buf [64]byte
	bench(b, 256, 0, func(r *row) bool {
		return ok(schnorr.AppendSign(buf[:0], r.key, r.msg, &schnorr.SignOptions{Aux: aux}))
	})
}

func BenchmarkSignUnchecked(b *testing.B) {
	var buf [64]byte
	bench(b, 256, 0, func(r *row) bool {
		return ok(schnorr.AppendSign(buf[:0], r.key, r.msg,
			&schnorr.SignOptions{Aux: aux, Unchecked: true}))
	})
}
