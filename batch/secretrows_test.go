package batch_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// secretColumns returns n secrets of 32 bytes and n keys of 33 bytes. Some of both are malformed,
// in rows that depend on r.
func secretColumns(r *rand.Rand, n int) (secrets, keys []byte) {
	order := reference.N()
	for i := range n {
		d := make([]byte, 32)
		r.Read(d)
		d[0] &= 0x7f
		switch r.Intn(12) {
		case 0:
			clear(d)
		case 1:
			order.FillBytes(d)
		case 2:
			d = bytes.Repeat([]byte{0xff}, 32)
		case 3:
			clear(d)
			d[31] = byte(1 + r.Intn(3))
		case 4:
			order.FillBytes(d)
			d[31] -= byte(1 + r.Intn(3))
		}
		secrets = append(secrets, d...)

		peer := make([]byte, 32)
		r.Read(peer)
		peer[0] &= 0x7f
		key, err := koblitz.ParsePrivateKey(peer)
		if err != nil {
			panic(err)
		}
		b := key.PublicKey().Bytes()
		switch r.Intn(16) {
		case 0:
			b[0] ^= 4
		case 1:
			r.Read(b[1:]) // every second one is no point
		case 2:
			copy(b[1:], bytes.Repeat([]byte{0xff}, 32))
		case 3:
			b[0] = byte(i)
		}
		keys = append(keys, b...)
	}
	return secrets, keys
}

// singleSharedX returns what SharedX must write for a row, and the row's verdict.
func singleSharedX(secret, key []byte) ([]byte, batch.Verdict) {
	d, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		return make([]byte, 32), batch.Malformed
	}
	p, err := koblitz.ParsePublicKey(key)
	if len(key) == 32 {
		p, err = koblitz.ParsePublicKey(append([]byte{2}, key...))
	}
	if err != nil {
		return make([]byte, 32), batch.Malformed
	}
	x, err := ecdh.SharedX(d, p)
	if err != nil {
		panic(err)
	}
	return x, batch.Valid
}

// TestSecretRows compares every row with single operations.
func TestSecretRows(t *testing.T) {
	r := rand.New(rand.NewSource(352))
	sizes := []int{300, 1100}
	for n := range 34 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		secrets, keys := secretColumns(r, n)
		for workers := 1; workers <= 3; workers += 2 {
			testPublicKeys(t, secrets, n, workers)
			o := &batch.SecretOptions{Workers: workers}
			pairs := batch.ECDHRows{
				Secrets: batch.Packed(secrets, 32),
				Keys:    batch.Packed(keys, 33),
			}
			testSharedX(t, pairs, n, o, func(i int) ([]byte, batch.Verdict) {
				return singleSharedX(secrets[32*i:][:32], keys[33*i:][:33])
			})
			if n == 0 {
				continue
			}
			one := secrets[32*(n/2):][:32]
			pairs.Secrets = batch.Same(one)
			testSharedX(t, pairs, n, o, func(i int) ([]byte, batch.Verdict) {
				return singleSharedX(one, keys[33*i:][:33])
			})
			pairs.Secrets = batch.Packed(secrets, 32)
			pairs.Keys = batch.Strided(keys[1:], 32, 33)
			testSharedX(t, pairs, n, o, func(i int) ([]byte, batch.Verdict) {
				return singleSharedX(secrets[32*i:][:32], keys[33*i+1:][:32])
			})
		}
	}
}

func testPublicKeys(t *testing.T, secrets []byte, n, workers int) {
	t.Helper()
	dst := bytes.Repeat([]byte{0xaa}, 33*n)
	verdicts := make([]batch.Verdict, n)
	valid, err := batch.SecretRows{Secrets: batch.Packed(secrets, 32)}.PublicKeys(
		context.Background(), dst, verdicts, &batch.SecretOptions{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want, verdict := make([]byte, 33), batch.Malformed
		if d, err := koblitz.ParsePrivateKey(secrets[32*i:][:32]); err == nil {
			want, verdict = d.PublicKey().Bytes(), batch.Valid
			valid--
		}
		if verdicts[i] != verdict || !bytes.Equal(dst[33*i:][:33], want) {
			t.Fatalf("%d rows: row %d, secret %x: %v, %x; want %v, %x", n, i, secrets[32*i:][:32],
				verdicts[i], dst[33*i:][:33], verdict, want)
		}
	}
	if valid != 0 {
		t.Fatalf("%d rows: the number of valid rows is wrong by %d", n, valid)
	}
}

func testSharedX(
	t *testing.T, rows batch.ECDHRows, n int, o *batch.SecretOptions,
	single func(i int) ([]byte, batch.Verdict),
) {
	t.Helper()
	dst := bytes.Repeat([]byte{0xaa}, 32*n)
	verdicts := make([]batch.Verdict, n)
	valid, err := rows.SharedX(context.Background(), dst, verdicts, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want, verdict := single(i)
		if verdict == batch.Valid {
			valid--
		}
		if verdicts[i] != verdict || !bytes.Equal(dst[32*i:][:32], want) {
			t.Fatalf("%d rows: row %d: %v, %x; want %v, %x", n, i, verdicts[i], dst[32*i:][:32],
				verdict, want)
		}
	}
	if valid != 0 {
		t.Fatalf("%d rows: the number of valid rows is wrong by %d", n, valid)
	}
}

// TestSecretRowsErrors tests arguments that are errors, and that nothing is written then.
func TestSecretRowsErrors(t *testing.T) {
	secrets, keys := secretColumns(rand.New(rand.NewSource(1)), 3)
	good := batch.ECDHRows{Secrets: batch.Packed(secrets, 32), Keys: batch.Packed(keys, 33)}
	dst, verdicts := bytes.Repeat([]byte{7}, 96), make([]batch.Verdict, 3)
	for want, rows := range map[string]batch.ECDHRows{
		"batch: Secrets: no column; Packed, Strided or Same makes one": {Keys: good.Keys},
		"batch: Keys: no column; Packed, Strided or Same makes one":    {Secrets: good.Secrets},
		"batch: Keys: a width of 11, want 32 or 33": {
			Secrets: good.Secrets, Keys: batch.Packed(keys, 11)},
		"batch: Secrets: 2 rows, want 3": {
			Secrets: batch.Packed(secrets[:64], 32), Keys: good.Keys},
		"batch: dst overlaps Keys": {Secrets: good.Secrets, Keys: batch.Packed(dst[:96], 32)},
	} {
		verdicts[0] = batch.Invalid
		_, err := rows.SharedX(context.Background(), dst, verdicts, nil)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if verdicts[0] != batch.Invalid || !bytes.Equal(dst, bytes.Repeat([]byte{7}, 96)) {
			t.Errorf("%s: the call wrote something", want)
		}
	}
	if _, err := good.SharedX(context.Background(), dst[:95], verdicts, nil); err == nil {
		t.Error("a short dst is no error")
	}
	if _, err := good.SharedX(context.Background(), dst, verdicts, nil); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	clear(dst)
	verdicts[1] = batch.Valid
	valid, err := good.SharedX(ctx, dst, verdicts, nil)
	if valid != 0 || err != context.Canceled || verdicts[1] != batch.Unchecked {
		t.Errorf("cancelled: %d, %v, %v", valid, err, verdicts)
	}
}

func BenchmarkSecretRows(b *testing.B) {
	const n = 4096
	secrets, keys := make([]byte, 32*n), make([]byte, 0, 33*n)
	for i := range n {
		binary.BigEndian.PutUint64(secrets[32*i+8:], uint64(i)*0x9e3779b97f4a7c15+1)
		binary.BigEndian.PutUint64(secrets[32*i+20:], uint64(i)*0xda942042e4dd58b5+1)
	}
	keys = keys[:33*n]
	verdicts := make([]batch.Verdict, n)
	rows := batch.SecretRows{Secrets: batch.Packed(secrets, 32)}
	if valid, err := rows.PublicKeys(context.Background(), keys, verdicts, nil); valid != n {
		b.Fatal(valid, err)
	}
	shared := make([]byte, 32*n)
	for _, workers := range []int{1, 2} {
		o := &batch.SecretOptions{Workers: workers}
		run := func(name string, call func() (int, error)) {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if valid, err := call(); valid != n {
						b.Fatal(valid, err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
		name := map[int]string{1: "/one worker", 2: "/two workers"}[workers]
		run("PublicKeys"+name, func() (int, error) {
			return rows.PublicKeys(context.Background(), keys, verdicts, o)
		})
		run("SharedX of pairs"+name, func() (int, error) {
			return batch.ECDHRows{Secrets: rows.Secrets, Keys: batch.Packed(keys, 33)}.SharedX(
				context.Background(), shared, verdicts, o)
		})
		run("SharedX of one secret"+name, func() (int, error) {
			return batch.ECDHRows{Secrets: batch.Same(secrets[:32]), Keys: batch.Packed(keys, 33)}.
				SharedX(context.Background(), shared, verdicts, o)
		})
		sigs := make([]byte, 65*n)
		for _, unchecked := range []bool{true, false} {
			o := &batch.SecretOptions{Workers: workers, Unchecked: unchecked}
			name := map[bool]string{true: " unchecked", false: ""}[unchecked] + name
			run("SchnorrSign"+name, func() (int, error) {
				return batch.SchnorrSignRows{Secrets: rows.Secrets, Messages: rows.Secrets}.Sign(
					context.Background(), sigs[:64*n], verdicts, o)
			})
			run("SchnorrSign by one secret"+name, func() (int, error) {
				return batch.SchnorrSignRows{
					Secrets: batch.Same(secrets[:32]), Messages: rows.Secrets,
				}.Sign(context.Background(), sigs[:64*n], verdicts, o)
			})
			run("ECDSASign"+name, func() (int, error) {
				return batch.ECDSASignRows{Secrets: rows.Secrets, Hashes: rows.Secrets}.Sign(
					context.Background(), sigs, verdicts, o)
			})
			run("ECDSASign by one secret"+name, func() (int, error) {
				return batch.ECDSASignRows{
					Secrets: batch.Same(secrets[:32]), Hashes: rows.Secrets,
				}.Sign(context.Background(), sigs, verdicts, o)
			})
		}
	}
}
