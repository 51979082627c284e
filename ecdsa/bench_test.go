package ecdsa_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// A row is one signature. Benchmarks use rows of many keys, so that caches do not make the results
// better than in practice.
type row struct {
	key       *koblitz.PrivateKey
	public    *koblitz.PublicKey
	prepared  *koblitz.PreparedKey // of the size for which the rows are made
	sig       *ecdsa.Signature
	hash, der []byte
}

// bench measures f, which returns false if it fails, with n rows and prepared keys of a size.
func bench(b *testing.B, n, size int, f func(r *row) bool) {
	rows := make([]row, n)
	for i := range rows {
		r := &rows[i]
		r.key = koblitz.GenerateKey()
		r.public = r.key.PublicKey()
		r.prepared = r.public.Prepare(size)
		h := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		r.hash = h[:]
		r.sig, _ = ecdsa.Sign(r.key, r.hash, nil)
		r.der = r.sig.DER()
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if !f(&rows[i%n]) {
			b.Fatal("it fails")
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	bench(b, 256, 0, func(r *row) bool { return ecdsa.Verify(r.public, r.hash, r.sig) })
}

// BenchmarkVerifyPrepared measures verification under 64 prepared keys, whose tables do not all fit
// in the innermost cache.
func BenchmarkVerifyPrepared(b *testing.B) {
	for _, kib := range []int{0, 1, 2, 4, 8, 13, 26} {
		b.Run(fmt.Sprintf("%dKiB", kib), func(b *testing.B) {
			bench(b, 64, kib<<10, func(r *row) bool {
				return ecdsa.VerifyPrepared(r.prepared, r.hash, r.sig)
			})
		})
	}
}

// unchecked makes signing comparable with other libraries, which do not verify the signatures that
// they make.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

func BenchmarkSign(b *testing.B) {
	var buf [64]byte
	bench(b, 256, 0, func(r *row) bool {
		return ok(ecdsa.AppendSign(buf[:0], r.key, r.hash, unchecked))
	})
}

func BenchmarkSignBlinded(b *testing.B) {
	var buf [64]byte
	key := koblitz.GenerateKey().Blinded()
	bench(b, 256, 0, func(r *row) bool {
		return ok(ecdsa.AppendSign(buf[:0], key, r.hash, unchecked))
	})
}

func BenchmarkSignChecked(b *testing.B) {
	bench(b, 256, 0, func(r *row) bool { return ok(ecdsa.Sign(r.key, r.hash, nil)) })
}

func BenchmarkParseDER(b *testing.B) {
	bench(b, 256, 0, func(r *row) bool { return ok(ecdsa.ParseDER(r.der)) })
}
