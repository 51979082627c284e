package batch_test

import (
	"bytes"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ellswift"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// encodings returns n encodings, with u and t that are often near 0 or p. If square is true for a
// u, the row after it has a t with u³ + 7 = −t², a special case of the decoding.
func encodings(r *rand.Rand, n int) []byte {
	swiftEC, p := reference.BIP324(), reference.P()
	var all []byte
	for len(all) < 64*n {
		u, t := reference.RandInt(r), reference.RandInt(r)
		all = append(all, u.FillBytes(make([]byte, 32))...)
		all = append(all, t.FillBytes(make([]byte, 32))...)
		minus := new(big.Int).Neg(swiftEC.G(u.Mod(u, p)))
		if minus.Mod(minus, p); swiftEC.IsSquare(minus) {
			all = append(all, u.FillBytes(make([]byte, 32))...)
			all = append(all, swiftEC.Root(minus).FillBytes(make([]byte, 32))...)
		}
	}
	return all[:64*n]
}

// TestEllswiftRows checks that every row gets the x coordinate that package ellswift decodes, for
// numbers of rows that fill the blocks and others, in all forms of columns.
func TestEllswiftRows(t *testing.T) {
	r := rand.New(rand.NewPCG(324, 1))
	for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 63, 64, 65, 300} {
		data := encodings(r, n)
		want := make([]byte, 0, 32*n)
		for b := range slices.Chunk(data, 64) {
			key, err := ellswift.Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			want = key.XOnlyPublicKey().AppendBytes(want)
		}
		before := bytes.Clone(data)
		for _, workers := range []int{1, 3} {
			got, verdicts := make([]byte, 32*n), make([]batch.Verdict, n)
			valid, err := batch.EllswiftRows{Encodings: batch.Packed(data, 64)}.XOnlyPublicKeys(
				context.Background(), got, verdicts, &batch.Options{Workers: workers})
			if err != nil || valid != n || !bytes.Equal(got, want) {
				t.Errorf("%d rows, %d workers: %d, %v, %x, want %x", n, workers, valid, err, got, want)
			}
			if slices.ContainsFunc(verdicts, func(v batch.Verdict) bool { return v != batch.Valid }) {
				t.Errorf("%d rows: %v", n, verdicts)
			}
		}
		if !bytes.Equal(data, before) {
			t.Error("a column was changed")
		}
		if n == 0 {
			continue
		}
		got, verdicts := make([]byte, 32*n), make([]batch.Verdict, n)
		valid, err := batch.EllswiftRows{Encodings: batch.Same(data[:64])}.XOnlyPublicKeys(
			context.Background(), got, verdicts, nil)
		if err != nil || valid != n || !bytes.Equal(got, bytes.Repeat(want[:32], n)) {
			t.Errorf("%d equal rows: %d, %v", n, valid, err)
		}
	}
}

// FuzzEllswiftRows compares the rows of any bytes with package ellswift.
func FuzzEllswiftRows(f *testing.F) {
	f.Add(make([]byte, 128))
	f.Add(encodings(rand.New(rand.NewPCG(1, 1)), 9))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 64
		x, verdicts := make([]byte, 32*n), make([]batch.Verdict, n)
		rows := batch.EllswiftRows{Encodings: batch.Packed(data, 64)}
		valid, err := rows.XOnlyPublicKeys(context.Background(), x, verdicts, nil)
		if len(data)%64 != 0 {
			if err == nil || valid != 0 {
				t.Errorf("%d bytes: %d, %v", len(data), valid, err)
			}
			return
		}
		if err != nil || valid != n {
			t.Fatalf("%d of %d, %v", valid, n, err)
		}
		for i := range n {
			key, err := ellswift.Decode(data[64*i:][:64])
			if err != nil || !bytes.Equal(key.XOnlyPublicKey().Bytes(), x[32*i:][:32]) {
				t.Errorf("row %d: %x, want %v, %v", i, x[32*i:][:32], key, err)
			}
		}
	})
}

func BenchmarkEllswiftRows(b *testing.B) {
	const n = 1024
	r := rand.NewChaCha8([32]byte{})
	data, x, verdicts := make([]byte, 64*n), make([]byte, 32*n), make([]batch.Verdict, n)
	r.Read(data)
	rows := batch.EllswiftRows{Encodings: batch.Packed(data, 64)}
	for b.Loop() {
		if _, err := rows.XOnlyPublicKeys(context.Background(), x, verdicts,
			&batch.Options{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
}
