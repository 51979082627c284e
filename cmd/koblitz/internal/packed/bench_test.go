package packed

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify/verifytest"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// BenchmarkCheck measures the time per row of package verify for packed rows.
func BenchmarkCheck(b *testing.B) {
	const n, keys = 100_000, 1000
	for _, f := range []Format{BIP340, ECDSA} {
		var data []byte
		for i := range uint64(n) {
			secret := sha256.Sum256(binary.LittleEndian.AppendUint64(nil, i%keys))
			key, err := koblitz.ParsePrivateKey(secret[:])
			if err != nil {
				b.Fatal(err)
			}
			message := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("message"), i))
			data = append(data, message[:]...)
			if f.Scheme == reading.ECDSA {
				public := [33]byte(key.PublicKey().Bytes())
				data = append(data, public[:]...)
				sig, err := ecdsa.Sign(key, message[:], nil)
				if err != nil {
					b.Fatal(err)
				}
				data = sig.AppendBytes(data)
				continue
			}
			public := key.PublicKey().XOnlyPublicKey().Bytes()
			data = append(data, public[:]...)
			sig, err := schnorr.Sign(key, message[:], nil)
			if err != nil {
				b.Fatal(err)
			}
			data = append(data, sig[:]...)
		}
		open := func(src reading.Source) reading.Reader { return NewReader(src, f) }
		b.Run(f.Name, func(b *testing.B) { verifytest.Benchmark(b, data, open) })
		for i := 0; i < len(data); i += f.Width() {
			data[i] ^= 1 // flips a bit of the signed hash or message
		}
		b.Run(f.Name+", all bad", func(b *testing.B) { verifytest.Benchmark(b, data, open) })
	}
}
