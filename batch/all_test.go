package batch_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// isValid returns whether a row is.
func isValid(r row) bool { return r.want == batch.Valid }

// recoveryIDs returns the right ids of ECDSA rows, and some id where there is none.
func recoveryIDs(rows []row) []byte {
	ids := make([]byte, len(rows))
	hashes, sigs := make([]byte, 0, 128*len(rows)), make([]byte, 0, 260*len(rows))
	for _, r := range rows {
		for id := range byte(4) {
			hashes, sigs = append(hashes, r.msg...), append(append(sigs, r.sig...), id)
		}
	}
	verdicts, keys := make([]batch.Verdict, 4*len(rows)), make([]byte, 4*65*len(rows))
	cols := batch.RecoverRows{Hashes: batch.Packed(hashes, 32), Signatures: batch.Packed(sigs, 65)}
	if _, err := cols.Recover(context.Background(), keys, verdicts); err != nil {
		panic(err)
	}
	for i, r := range rows {
		for id := range 4 {
			key := keys[65*(4*i+id):][:65]
			if verdicts[4*i+id] == batch.Valid && string(key[1:33]) == string(r.key[1:]) &&
				2+key[64]&1 == r.key[0] {
				ids[i] = byte(id)
			}
		}
	}
	return ids
}

// TestVerifyAll: one answer for all rows is that of all verdicts, with equations and
// without, with one bad row wherever it is.
func TestVerifyAll(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 50))
	s := slices.DeleteFunc(slices.Clone(schnorrRows()), func(r row) bool { return !isValid(r) })
	e := slices.DeleteFunc(slices.Clone(ecdsaRows()), func(r row) bool { return !isValid(r) })
	badS := slices.DeleteFunc(slices.Clone(schnorrRows()), isValid)
	badE := slices.DeleteFunc(slices.Clone(ecdsaRows()), isValid)
	each(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 31, 40, 200, 4096 + 50} {
			if testing.Short() && n > 200 {
				continue
			}
			for _, bad := range []int{-1, 0, n / 2, n - 1} {
				rows, rowsE := slices.Clone(pick(r, s, n)), slices.Clone(pick(r, e, n))
				if bad >= 0 {
					rows[bad], rowsE[bad] = badS[r.IntN(len(badS))], badE[r.IntN(len(badE))]
				}
				want := bad < 0
				ids := recoveryIDs(rowsE)
				for _, opts := range [][]any{nil, {batch.Exact()}, {batch.Workers(2)}} {
					sr := batch.SchnorrRows{Messages: spread(r, 0, fields(rows, msg)),
						Keys: spread(r, 0, fields(rows, key)), Signatures: spread(r, 0, fields(rows, sig))}
					er := batch.ECDSARows{Hashes: spread(r, 0, fields(rowsE, msg)),
						Keys: spread(r, 0, fields(rowsE, key)), Signatures: spread(r, 0, fields(rowsE, sig))}
					if got, err := sr.VerifyAll(context.Background(),
						as[batch.SchnorrOption](opts...)...); got != want || err != nil {
						t.Errorf("BIP-340, %d rows, %d bad: %v, %v", n, bad, got, err)
					}
					for _, withIDs := range []bool{false, true} {
						if withIDs {
							er.RecoveryIDs = batch.Packed(ids, 1)
						}
						if got, err := er.VerifyAll(context.Background(),
							as[batch.ECDSAOption](opts...)...); got != want || err != nil {
							t.Errorf("ECDSA, %d rows, %d bad, ids: %v: %v, %v", n, bad, withIDs, got, err)
						}
					}
					if n > 200 {
						break
					}
				}
			}
		}
	})
}

// TestRecoveryIDs: rows with right ids, wrong ones, impossible ones, and bad rows among
// them, have the verdicts that they have without ids, but Malformed for an id above 3.
func TestRecoveryIDs(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	good := slices.DeleteFunc(slices.Clone(ecdsaRows()),
		func(r row) bool { return r.low != batch.Valid })
	each(t, func(t *testing.T) {
		for i, n := range []int{1, 40, 130, 700} {
			for _, spoilt := range []int{0, 1, 10, 100} { // of a hundred
				rows := slices.Clone(pick(r, good, n))
				ids := recoveryIDs(rows)
				low := i%2 == 0
				for k := range rows {
					switch {
					case r.IntN(100) >= spoilt:
					case r.IntN(3) == 0:
						rows[k] = ecdsaRows()[r.IntN(len(ecdsaRows()))]
					case r.IntN(2) == 0:
						ids[k] ^= byte(1 + r.IntN(3))
					default:
						ids[k] = byte(4 + r.IntN(252))
						rows[k].want, rows[k].low = batch.Malformed, batch.Malformed
					}
				}
				cols := batch.ECDSARows{Hashes: column(r, rows, msg), Keys: column(r, rows, key),
					Signatures:  column(r, rows, sig),
					RecoveryIDs: batch.Packed(ids, 1)}
				var opts []batch.ECDSAOption
				if low {
					opts = append(opts, batch.LowS())
				}
				got := dirty(n)
				valid, err := cols.Verify(context.Background(), got, opts...)
				compare(t, rows, low, got, valid, err)
			}
		}
	})
}

// TestRowsOfColumns: VerifyAll leaves no row out because a column is shorter than
// another, or ends in the midst of a row.
func TestRowsOfColumns(t *testing.T) {
	b := make([]byte, 1000)
	for what, test := range map[string]struct {
		rows batch.SchnorrRows
		want string
	}{
		"short keys": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.Packed(b[:288], 32), Signatures: batch.Packed(b[:640], 64)},
			"batch: Messages has 10 rows, and Keys 9"},
		"short signatures": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.Packed(b[:320], 32), Signatures: batch.Strided(b[:584], 64, 65)},
			"batch: Messages has 10 rows, and Signatures 9"},
		"half a row": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.Packed(b[:330], 32), Signatures: batch.Packed(b[:640], 64)},
			"batch: Keys: row 10 has 10 bytes, want 32"},
		"half a field": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.Packed(b[:320], 32), Signatures: batch.Strided(b[:9*70+63], 64, 70)},
			"batch: Signatures: row 9 has 63 bytes, want 64"},
		"a width": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 31)},
			"batch: Messages: a width of 31, want 32"},
		"no column": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.Packed(b[:320], 32)},
			"batch: Signatures: no column; Packed, Strided or Same makes one"},
		"nothing": {batch.SchnorrRows{},
			"batch: Messages: no column; Packed, Strided or Same makes one"},
		"all the same": {batch.SchnorrRows{Messages: batch.Same(b[:32]), Keys: batch.Same(b[:32]),
			Signatures: batch.Same(b[:64])},
			"batch: all columns are Same, so that the number of rows is not known"},
		"no rows": {batch.SchnorrRows{Messages: batch.Same(b[:32]), Keys: batch.Packed(nil, 32),
			Signatures: batch.Packed(nil, 64)}, "batch: no rows"},
		"rows in some columns": {batch.SchnorrRows{Messages: batch.Packed(b[:32], 32),
			Keys: batch.Packed(nil, 32), Signatures: batch.Packed(nil, 64)},
			"batch: Messages has 1 rows, and Keys 0"},
	} {
		if ok, err := test.rows.VerifyAll(context.Background()); ok || err == nil ||
			err.Error() != test.want {
			t.Errorf("%s: %v, %v\nwant %s", what, ok, err, test.want)
		}
	}
}

// TestCancelEverywhere: whenever a context ends, rows have the right verdict or none,
// one answer for all is right or an error, and the next call is not disturbed.
func TestCancelEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 52))
	n := 900
	if testing.Short() {
		n = 200
	}
	mixed := slices.Clone(pick(r, schnorrRows(), n))
	good := pick(r, slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return !isValid(r) }), n)
	each(t, func(t *testing.T) {
		for _, rows := range [][]row{good, mixed} {
			all := !slices.ContainsFunc(rows, func(r row) bool { return !isValid(r) })
			s := batch.SchnorrRows{Messages: spread(r, 0, fields(rows, msg)),
				Keys: spread(r, 0, fields(rows, key)), Signatures: spread(r, 0, fields(rows, sig))}
			var acc batch.Schnorr
			for _, row := range rows {
				acc.AddBytes(row.key, row.msg, row.sig)
			}
			check := func(what string, verdicts []batch.Verdict, err error) {
				t.Helper()
				missing := 0
				for i, v := range verdicts {
					if v == batch.Unchecked {
						missing++
					} else if v != rows[i].want {
						t.Fatalf("%s: row %d: %v, want %v", what, i, v, rows[i].want)
					}
				}
				if (missing > 0) != (err != nil) || err != nil && !errors.Is(err, errDone) {
					t.Fatalf("%s: %d rows without a verdict, %v", what, missing, err)
				}
			}
			ends := 0
			for moment := int64(0); ; moment = moment*5/4 + 1 {
				ended := false
				under := func() context.Context {
					ctx := &countdown{Context: context.Background()}
					ctx.left.Store(moment)
					return ctx
				}
				verdicts := make([]batch.Verdict, n)
				for _, opts := range [][]batch.SchnorrOption{nil, {batch.Exact()}, {batch.Workers(2)}} {
					_, err := s.Verify(under(), verdicts, opts...)
					check("Verify", verdicts, err)
					ended = ended || err != nil
					got, err := s.VerifyAll(under(), opts...)
					if err == nil && got != all || err != nil && (got || !errors.Is(err, errDone)) {
						t.Fatalf("VerifyAll: %v, %v", got, err)
					}
				}
				verdicts, err := acc.VerifyEach(under(), verdicts)
				check("VerifyEach", verdicts, err)
				got, err := acc.Verify(under())
				if err == nil && got != all || err != nil && (got || !errors.Is(err, errDone)) {
					t.Fatalf("accumulator: %v, %v", got, err)
				}
				if !ended {
					break
				}
				ends++
				if verify(&acc) != all {
					t.Fatal("another answer after a cancelled call")
				}
			}
			t.Logf("cancelled at %d moments", ends)
			if ends == 0 {
				t.Error("nothing was cancelled")
			}
		}
	})
}
