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
	sig       *ecdsa.Signature
	hash, der []byte
}

func rows(b *testing.B) []row {
	out := make([]row, 256)
	for i := range out {
		r := &out[i]
		r.key = koblitz.GenerateKey()
		r.public = r.key.PublicKey()
		h := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		r.hash = h[:]
		r.sig, _ = ecdsa.Sign(r.key, r.hash, nil)
		r.der = r.sig.DER()
	}
	b.ReportAllocs()
	return out
}

func BenchmarkVerify(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if !ecdsa.Verify(r.public, r.hash, r.sig) {
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
				if !ecdsa.VerifyPrepared(keys[i%len(rows)], r.hash, r.sig) {
					b.Fatal("does not verify")
				}
			}
		})
	}
}

// unchecked makes signing comparable with other libraries, which do not verify the signatures that
// they make.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

func BenchmarkSign(b *testing.B) {
	rows := rows(b)
	var buf [64]byte
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := ecdsa.AppendSign(buf[:0], r.key, r.hash, unchecked); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignBlinded(b *testing.B) {
	rows := rows(b)
	key := rows[0].key.Blinded()
	var buf [64]byte
	for i := 0; b.Loop(); i++ {
		if _, err := ecdsa.AppendSign(buf[:0], key, rows[i%len(rows)].hash, unchecked); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignChecked(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := ecdsa.Sign(r.key, r.hash, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseDER(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		if _, err := ecdsa.ParseDER(rows[i%len(rows)].der); err != nil {
			b.Fatal(err)
		}
	}
}
