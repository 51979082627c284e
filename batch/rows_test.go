package batch_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// dirty returns n verdicts with an undefined value, so that a test can see which a call overwrites.
func dirty(n int) []batch.Verdict {
	v := make([]batch.Verdict, n)
	for i := range v {
		v[i] = batch.Verdict(0x77)
	}
	return v
}

// compare checks that the verdicts of rows are those of the functions for one signature.
func compare(t *testing.T, rows []row, lowS bool, got []batch.Verdict, valid int, err error) {
	t.Helper()
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d verdicts on %d rows, %v", len(got), len(rows), err)
	}
	count := 0
	for i, r := range rows {
		want := r.want
		if lowS {
			want = r.low
		}
		if want == batch.Valid {
			count++
		}
		if got[i] != want {
			t.Errorf("row %d of %d (%s): %v, want %v\nkey %x\nmessage %x\nsignature %x", i, len(rows),
				r.what, got[i], want, r.key, r.msg, r.sig)
		}
	}
	if valid != count {
		t.Errorf("%d rows counted as valid, want %d", valid, count)
	}
}

func key(r row) []byte { return r.key }
func msg(r row) []byte { return r.msg }
func sig(r row) []byte { return r.sig }

// counted fails the test unless Valid, Invalid and Malformed each occur at least 50 times among the
// expected verdicts of the test rows.
func counted(t *testing.T, name string, verdicts func(yield func(batch.Verdict))) {
	var n [4]int
	verdicts(func(v batch.Verdict) { n[v]++ })
	t.Logf("%s: %d valid, %d invalid, %d malformed", name, n[batch.Valid], n[batch.Invalid],
		n[batch.Malformed])
	if n[batch.Valid] < 50 || n[batch.Invalid] < 50 || n[batch.Malformed] < 50 {
		t.Errorf("%s: too few of a verdict", name)
	}
}

func TestCorpus(t *testing.T) {
	counted(t, "Schnorr", func(yield func(batch.Verdict)) {
		for _, r := range schnorrRows() {
			yield(r.want)
		}
	})
	counted(t, "ECDSA", func(yield func(batch.Verdict)) {
		for _, r := range ecdsaRows() {
			yield(r.low)
		}
	})
	counted(t, "Recover", func(yield func(batch.Verdict)) {
		for _, r := range recoverRows() {
			yield(r.low)
		}
	})
}

// TestSchnorrRows checks that each row of a batch gets the verdict of the function for one
// signature, for batches of many sizes, columns of several strides, and any number of workers.
func TestSchnorrRows(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 4))
		for i, n := range sizes(r, 700) {
			rows := pick(r, schnorrRows(), n)
			cols := batch.SchnorrRows{Messages: column(r, rows, msg),
				Keys:       batch.EncodedKeys(column(r, rows, key)),
				Signatures: column(r, rows, sig)}
			got := dirty(n)
			valid, err := cols.Verify(context.Background(), got, workers[i%len(workers)])
			compare(t, rows, false, got, valid, err)
		}
	})
}

func TestECDSARows(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 5))
		for i, n := range sizes(r, 700) {
			rows := pick(r, ecdsaRows(), n)
			cols := batch.ECDSARows{Hashes: column(r, rows, msg),
				Keys:       batch.EncodedKeys(column(r, rows, key)),
				Signatures: column(r, rows, sig), S: rule(i%2 == 1)}
			got := dirty(n)
			valid, err := cols.Verify(context.Background(), got, workers[i%len(workers)])
			compare(t, rows, i%2 == 1, got, valid, err)
		}
	})
}

// TestUncompressedKeys checks that rows with keys of 65 bytes get the right verdicts. The keys are
// valid ones, random bytes, and valid keys with one bit flipped.
func TestUncompressedKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 64))
	all := slices.Clone(ecdsaRows())
	for i := range all {
		b := append([]byte{4}, random(r, 64)...)
		if k, err := koblitz.ParsePublicKey(all[i].key); err == nil {
			if b = k.UncompressedBytes(); i%7 == 0 {
				b[r.IntN(65)] ^= 1 << r.IntN(8)
			}
		}
		all[i].key = b
		all[i] = judgeECDSA(all[i])
	}
	each(t, func(t *testing.T) {
		for i, n := range sizes(r, 300) {
			rows, got := pick(r, all, n), dirty(n)
			cols := batch.ECDSARows{Hashes: column(r, rows, msg), S: rule(i%2 == 1),
				Keys: batch.EncodedKeys(column(r, rows, key)), Signatures: column(r, rows, sig)}
			o := &batch.Options{Workers: i % 3, Exact: i%4 == 0}
			if i%3 == 0 {
				cols.RecoveryIDs = batch.Packed(recoveryIDs(rows), 1)
			}
			if i%5 == 0 {
				o.Device = faulty(nil).Device()
			}
			valid, err := cols.Verify(context.Background(), got, o)
			compare(t, rows, i%2 == 1, got, valid, err)
			if ok, err := cols.VerifyAll(context.Background(), n, o); ok != (valid == n) || err != nil {
				t.Errorf("%d of %d rows are valid, all: %v, %v", valid, n, ok, err)
			}
		}
	})
}

// TestCrafted checks that batches that consist only of crafted rows, with encoded and with prepared
// keys, get the verdicts of the function for one signature.
func TestCrafted(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	rows, set, indices := prepareAll(r, craftedECDSA(r), tableSizes[:1], koblitz.ParsePublicKey)
	t.Logf("%d rows", len(rows))
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 7))
		for _, keys := range []batch.Keys{batch.EncodedKeys(column(r, rows, key)),
			batch.PreparedKeys(set, indices)} {
			cols := batch.ECDSARows{Hashes: column(r, rows, msg), Keys: keys,
				Signatures: column(r, rows, sig), S: batch.AnyS}
			got := dirty(len(rows))
			valid, err := cols.Verify(context.Background(), got, nil)
			compare(t, rows, false, got, valid, err)
		}
	})
}

// compareFound compares the verdicts and results of a recovery with the expected ones, and returns
// the number of valid rows.
func compareFound(
	t *testing.T, how recovery, rows []sign65, lowS bool, got []batch.Verdict, dst []byte,
) (count int) {
	t.Helper()
	for i, row := range rows {
		want, found := row.want, how.found(row)
		if lowS {
			want = row.low
		}
		if want == batch.Valid {
			count++
		} else {
			found = make([]byte, how.size)
		}
		if result := dst[how.size*i:][:how.size]; got[i] != want || !bytes.Equal(result, found) {
			t.Errorf("row %d of %d: %v, %x, want %v, %x\nhash %x\nsignature %x", i, len(rows), got[i],
				result, want, found, row.hash, row.sig)
		}
	}
	return count
}

func TestRecover(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 8))
		for i, n := range sizes(r, 700) {
			rows := pick(r, recoverRows(), n)
			hashes, sigs := make([][]byte, n), make([][]byte, n)
			for i, row := range rows {
				hashes[i], sigs[i] = row.hash, row.sig
			}
			cols := batch.RecoverRows{Hashes: spread(r, i%3, hashes), Signatures: spread(r, i%2, sigs),
				S: rule(i%2 == 1)}
			for _, how := range recoveries() {
				got, dst := dirty(n), bytes.Repeat([]byte{0x77}, how.size*n)
				valid, err := how.call(cols, context.Background(), dst, got, workers[i%len(workers)])
				if err != nil {
					t.Fatal(err)
				}
				if count := compareFound(t, how, rows, i%2 == 1, got, dst); valid != count {
					t.Errorf("%d rows counted as valid, want %d", valid, count)
				}
			}
		}
	})
}

func TestDecompress(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(9, 9))
		for i, n := range sizes(r, 700) {
			rows := pick(r, ecdsaRows(), n)
			got, dst := dirty(n), bytes.Repeat([]byte{0x77}, 65*n)
			valid, err := batch.KeyRows{Keys: column(r, rows, key)}.Decompress(context.Background(), dst,
				got, workers[i%len(workers)])
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			for i, row := range rows {
				want, key := batch.Malformed, make([]byte, 65)
				if k, err := koblitz.ParsePublicKey(row.key); err == nil {
					want, key = batch.Valid, k.UncompressedBytes()
					count++
				}
				if got[i] != want || !bytes.Equal(dst[65*i:65*i+65], key) {
					t.Errorf("row %d of %d: %v, %x, want %v, %x\nkey %x", i, n, got[i], dst[65*i:65*i+65], want,
						key, row.key)
				}
			}
			if valid != count {
				t.Errorf("%d keys counted as valid, want %d", valid, count)
			}
		}
	})
}

// TestSame checks that each row gets the right verdict if some columns have the same value in every
// row, for all combinations of such columns.
func TestSame(t *testing.T) {
	each(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(10, 10))
		for fixed := range 8 {
			const n = 40
			one, rows := pick(r, ecdsaRows(), 1)[0], pick(r, ecdsaRows(), n)
			for rows[0].want != batch.Valid || one.want != batch.Valid {
				one, rows = pick(r, ecdsaRows(), 1)[0], pick(r, ecdsaRows(), n)
			}
			cols, keys := batch.ECDSARows{S: batch.AnyS}, batch.Column{}
			for bit, field := range []struct {
				of  func(row) []byte
				set func(*row, []byte)
				col *batch.Column
			}{
				{msg, func(r *row, b []byte) { r.msg = b }, &cols.Hashes},
				{key, func(r *row, b []byte) { r.key = b }, &keys},
				{sig, func(r *row, b []byte) { r.sig = b }, &cols.Signatures},
			} {
				if fixed>>bit&1 == 1 {
					*field.col = batch.Same(field.of(one))
					for i := range rows {
						field.set(&rows[i], field.of(one))
					}
				} else {
					*field.col = column(r, rows, field.of)
				}
			}
			for i := range rows {
				rows[i] = judgeECDSA(rows[i])
			}
			cols.Keys = batch.EncodedKeys(keys)
			got := dirty(n)
			valid, err := cols.Verify(context.Background(), got, nil)
			compare(t, rows, false, got, valid, err)
		}
	})
}

// TestSharedData checks that a call gives the right verdicts if its columns overlap in memory, and
// leaves that memory unchanged.
func TestSharedData(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	data := random(r, 4096)
	data[0], data[40] = 2, 3
	cols := batch.ECDSARows{
		Hashes:     batch.Packed(data[:50*32], 32),
		Keys:       batch.EncodedKeys(batch.Strided(data[:50*40], 33, 40)),
		Signatures: batch.Packed(data[1:1+50*64], 64), S: batch.AnyS,
	}
	rows := make([]row, 50)
	for i := range rows {
		rows[i] = judgeECDSA(row{key: data[40*i : 40*i+33], msg: data[32*i : 32*i+32],
			sig: data[1+64*i : 65+64*i]})
	}
	before, got := bytes.Clone(data), dirty(50)
	valid, err := cols.Verify(context.Background(), got, nil)
	compare(t, rows, false, got, valid, err)
	if !bytes.Equal(data, before) {
		t.Error("the input changed")
	}
}
