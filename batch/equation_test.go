package batch_test

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestSchnorrPatterns checks that each row gets its verdict in batches with bad rows in various
// numbers and positions, and that VerifyAll returns true only for batches without bad rows.
func TestSchnorrPatterns(t *testing.T) {
	rows := signedRows()
	patterns := map[string]func(i, n int) bool{
		"good":       func(i, n int) bool { return false },
		"first":      func(i, n int) bool { return i == 0 },
		"last":       func(i, n int) bool { return i == n-1 },
		"middle":     func(i, n int) bool { return i == n/2 },
		"first half": func(i, n int) bool { return i < n/2 },
		"every 5th":  func(i, n int) bool { return i%5 == 3 },
		"all":        func(i, n int) bool { return true },
		"all but 1":  func(i, n int) bool { return i != n/3 },
	}
	kinds := []func(sig []byte) []byte{
		func(sig []byte) []byte { sig[63] ^= 1; return sig },
		// changes r; for half of the values no point has that x coordinate
		func(sig []byte) []byte { sig[0] ^= 0x40; return sig },
		// sets s to a value above n
		func(sig []byte) []byte { copy(sig[32:], slices.Repeat([]byte{255}, 32)); return sig },
		// removes a byte
		func(sig []byte) []byte { return sig[:63] },
	}
	want := []batch.Verdict{batch.Invalid, batch.Invalid, batch.Malformed, batch.Malformed}
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for pattern, bad := range patterns {
			for _, n := range []int{0, 1, 2, 15, 16, 17, 40, 130, 300} {
				b := batch.NewSchnorr(n, &batch.Options{Workers: 1 + n%3})
				verdicts := make([]batch.Verdict, n)
				good := true
				for i := range n {
					row, sig := &rows[i], slices.Clone(rows[i].bip340)
					verdicts[i] = batch.Valid
					if bad(i, n) {
						k := r.Intn(len(kinds))
						sig, verdicts[i], good = kinds[k](sig), want[k], false
					}
					if i%2 == 0 {
						b.AddBytes(row.x.Bytes(), row.hash, sig)
					} else {
						b.Add(row.x, row.hash, sig)
					}
				}
				if got := verify(b, nil); !slices.Equal(got, verdicts) {
					t.Errorf("%d rows, %s: verdicts %v, want %v", n, pattern, got, verdicts)
				}
				if got := verifyAll(b); got != good {
					t.Errorf("%d rows, %s: Verify is %v", n, pattern, got)
				}
			}
		}
	}, append(cputest.AllLanes(), cputest.Portable, cputest.ADX)...)
}

// TestSchnorrSwapped checks that a batch in which two rows have each other's signatures is invalid:
// the equation must tie each signature to its own key and message.
func TestSchnorrSwapped(t *testing.T) {
	rows := signedRows()
	for _, n := range []int{2, 17, 100} {
		b := batch.NewSchnorr(n, nil)
		for i := range n {
			sig := rows[i].bip340
			if i < 2 {
				sig = rows[1-i].bip340
			}
			b.AddBytes(rows[i].x.Bytes(), rows[i].hash, sig)
		}
		if verifyAll(b) {
			t.Errorf("%d rows, two of them swapped: valid", n)
		}
	}
}

func BenchmarkSchnorrBatch(b *testing.B) {
	rows := signedRows()
	acc := batch.NewSchnorr(len(rows), &batch.Options{Workers: 1})
	keys := make([][]byte, len(rows))
	for i := range rows {
		keys[i] = rows[i].x.Bytes()
	}
	run := func(name string, bad int, f func() bool) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				acc.Reset()
				for i := range rows {
					sig := rows[i].bip340
					if i == bad {
						sig = rows[0].bip340
					}
					acc.AddBytes(keys[i], rows[i].hash, sig)
				}
				if !f() {
					b.Fatal("wrong verdict")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)), "ns/row")
		})
	}
	var verdicts []batch.Verdict
	run("VerifyAll", -1, func() bool { return verifyAll(acc) })
	run("Verify", -1, func() bool {
		verdicts = verify(acc, verdicts)
		return !slices.Contains(verdicts, batch.Invalid)
	})
	run("Verify one bad", 10, func() bool {
		verdicts = verify(acc, verdicts)
		return slices.Contains(verdicts, batch.Invalid)
	})
}

// TestRecoverable checks that correct, wrong and undefined recovery ids leave the verdict of a row
// unchanged.
func TestRecoverable(t *testing.T) {
	rows := signedRows()
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(2))
		for _, s := range []batch.SRule{batch.AnyS, batch.LowS} {
			for _, n := range []int{0, 1, 2, 16, 33, 100, 300} {
				// spoilt is the percentage of rows that are changed in some way.
				for _, spoilt := range []int{0, 2, 50} {
					b, plain := batch.NewECDSA(n, s, nil), batch.NewECDSA(n, s, nil)
					for i := range n {
						row, sig := &rows[i], slices.Clone(rows[i].sig65)
						if r.Intn(100) < spoilt {
							switch r.Intn(6) {
							case 0:
								sig[64] ^= 1
							case 1:
								sig[64] ^= 2
							case 2:
								sig[r.Intn(64)] ^= 4
							case 3:
								sig[64] = 4
							case 4:
								copy(sig[32:], negate(sig[32:64]))
								sig[64] ^= 1
							case 5:
								sig = sig[:64]
							}
						}
						if i%2 == 0 {
							b.AddRecoverable(row.key, row.hash, sig)
						} else {
							b.AddRecoverableBytes(row.key.Bytes(), row.hash, sig)
						}
						if len(sig) != 65 || sig[64] > 3 {
							sig = nil
						} else {
							sig = sig[:64]
						}
						plain.AddBytes(row.key.Bytes(), row.hash, sig)
					}
					want := verify(plain, nil)
					if got := verify(b, nil); !slices.Equal(got, want) {
						t.Errorf("%d rows, %d of 100 spoilt: %v, want %v", n, spoilt, got, want)
					}
					good := !slices.ContainsFunc(want, func(v batch.Verdict) bool { return v != batch.Valid })
					if verifyAll(b) != good {
						t.Errorf("%d rows, %d of 100 spoilt: VerifyAll is %v", n, spoilt, !good)
					}
					b.Reset()
					b.AddBytes(rows[0].key.Bytes(), rows[0].hash, rows[0].sig65[:64])
					if !verifyAll(b) {
						t.Error("after Reset, a good signature is not valid")
					}
				}
			}
		}
	}, append(cputest.AllLanes(), cputest.Portable, cputest.ADX)...)
}

// negate returns n − s.
func negate(s []byte) []byte {
	x := new(big.Int).Sub(reference.N(), new(big.Int).SetBytes(s))
	return x.FillBytes(make([]byte, 32))
}
