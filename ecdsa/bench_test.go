package ecdsa_test

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// rows are signatures by many keys, so that no cache flatters.
type row struct {
	key                 *koblitz.PrivateKey
	public              *koblitz.PublicKey
	sig                 *ecdsa.Signature
	hash                []byte
	compact, der, rec65 []byte
}

func rows(b *testing.B) []row {
	out := make([]row, 256)
	for i := range out {
		r := &out[i]
		r.key = koblitz.GenerateKey()
		r.public = r.key.PublicKey()
		h := sha256.Sum256(binary.BigEndian.AppendUint32(nil, uint32(i)))
		r.hash = h[:]
		r.sig, _ = ecdsa.Sign(r.key, r.hash)
		r.rec65, _ = ecdsa.SignRecoverable(r.key, r.hash)
		r.compact, r.der = r.public.Bytes(), r.sig.DER()
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

// BenchmarkVerifyBytes parses key and signature first.
func BenchmarkVerifyBytes(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		key, err1 := koblitz.NewPublicKey(r.compact)
		sig, err2 := ecdsa.ParseDER(r.der)
		if err1 != nil || err2 != nil || !ecdsa.Verify(key, r.hash, sig) {
			b.Fatal("does not verify")
		}
	}
}

func BenchmarkSign(b *testing.B) {
	rows := rows(b)
	var buf [64]byte
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := ecdsa.AppendSign(buf[:0], r.key, r.hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignBlinded(b *testing.B) {
	rows := rows(b)
	key := rows[0].key.Blinded()
	var buf [64]byte
	for i := 0; b.Loop(); i++ {
		if _, err := ecdsa.AppendSign(buf[:0], key, rows[i%len(rows)].hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSignChecked(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := ecdsa.SignChecked(r.key, r.hash); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecover(b *testing.B) {
	rows := rows(b)
	for i := 0; b.Loop(); i++ {
		r := &rows[i%len(rows)]
		if _, err := ecdsa.Recover(r.hash, r.rec65); err != nil {
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
