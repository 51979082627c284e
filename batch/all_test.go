package batch_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// isValid reports whether Valid is the expected verdict of a row.
func isValid(r row) bool { return r.want == batch.Valid }

// recoveryIDs returns the correct recovery ids of ECDSA rows, and 0 for rows that have none.
func recoveryIDs(rows []row) []byte {
	ids := make([]byte, len(rows))
	hashes, sigs := make([]byte, 0, 128*len(rows)), make([]byte, 0, 260*len(rows))
	for _, r := range rows {
		for id := range byte(4) {
			hashes, sigs = append(hashes, r.msg...), append(append(sigs, r.sig...), id)
		}
	}
	verdicts, keys := make([]batch.Verdict, 4*len(rows)), make([]byte, 4*65*len(rows))
	cols := batch.RecoverRows{Hashes: batch.Packed(hashes, 32), Signatures: batch.Packed(sigs, 65),
		S: batch.AnyS}
	if _, err := cols.Recover(context.Background(), keys, verdicts, nil); err != nil {
		panic(err)
	}
	for i, r := range rows {
		for id := range 4 {
			key := keys[65*(4*i+id):][:65]
			compressed := append([]byte{2 + key[64]&1}, key[1:33]...)
			if verdicts[4*i+id] == batch.Valid &&
				(bytes.Equal(r.key, key) || bytes.Equal(r.key, compressed)) {
				ids[i] = byte(id)
			}
		}
	}
	return ids
}

// TestVerifyAll checks that the single answer for all rows agrees with the verdicts, with and
// without equations, and with a bad row at any position.
func TestVerifyAll(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 50))
	s := slices.DeleteFunc(slices.Clone(schnorrRows()), func(r row) bool { return !isValid(r) })
	e := slices.DeleteFunc(slices.Clone(ecdsaRows()), func(r row) bool { return !isValid(r) })
	badS := slices.DeleteFunc(slices.Clone(schnorrRows()), isValid)
	badE := slices.DeleteFunc(slices.Clone(ecdsaRows()), isValid)
	each(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 31, 40, 200, 4096 + 50} {
			if !cputest.Deep() && n > 200 {
				continue
			}
			for _, bad := range []int{-1, 0, n / 2, n - 1} {
				rows, rowsE := slices.Clone(pick(r, s, n)), slices.Clone(pick(r, e, n))
				if bad >= 0 {
					rows[bad], rowsE[bad] = badS[r.IntN(len(badS))], badE[r.IntN(len(badE))]
				}
				want := bad < 0
				ids := recoveryIDs(rowsE)
				for _, o := range []*batch.Options{nil, {Exact: true}, {Workers: 2}} {
					sr := batch.SchnorrRows{Messages: spread(r, 0, fields(rows, msg)),
						Keys: batch.EncodedKeys(spread(r, 0, fields(rows, key))), Signatures: spread(r, 0,
							fields(rows, sig))}
					er := batch.ECDSARows{Hashes: spread(r, 0, fields(rowsE, msg)),
						Keys: batch.EncodedKeys(spread(r, 0, fields(rowsE, key))), Signatures: spread(r, 0,
							fields(rowsE, sig)), S: batch.AnyS}
					if got, err := sr.VerifyAll(context.Background(), n, o); got != want || err != nil {
						t.Errorf("BIP-340, %d rows, %d bad: %v, %v", n, bad, got, err)
					}
					for _, withIDs := range []bool{false, true} {
						if withIDs {
							er.RecoveryIDs = batch.Packed(ids, 1)
						}
						if got, err := er.VerifyAll(context.Background(), n, o); got != want || err != nil {
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

// TestRecoveryIDs checks that correct and wrong recovery ids leave the verdict of a row unchanged,
// that an id above 3 makes it Malformed, and that bad rows among them are found.
func TestRecoveryIDs(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	good := slices.DeleteFunc(slices.Clone(ecdsaRows()),
		func(r row) bool { return r.low != batch.Valid })
	each(t, func(t *testing.T) {
		for i, n := range []int{1, 40, 130, 700} {
			for _, spoilt := range []int{0, 1, 10, 100} { // percentage of rows with a changed id
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
				cols := batch.ECDSARows{Hashes: column(r, rows, msg),
					Keys:        batch.EncodedKeys(column(r, rows, key)),
					Signatures:  column(r, rows, sig),
					RecoveryIDs: batch.Packed(ids, 1), S: rule(low)}
				got := dirty(n)
				valid, err := cols.Verify(context.Background(), got, nil)
				compare(t, rows, low, got, valid, err)
			}
		}
	})
}

// TestRowsOfColumns checks that VerifyAll returns an error, instead of leaving out rows, if a
// column is shorter than another or ends in the middle of a row.
func TestRowsOfColumns(t *testing.T) {
	b := make([]byte, 1000)
	for what, test := range map[string]struct {
		rows batch.SchnorrRows
		n    int
		want string
	}{
		"short keys": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.EncodedKeys(batch.Packed(b[:288], 32)), Signatures: batch.Packed(b[:640], 64)},
			10, "batch: Keys: 9 rows, want 10"},
		"short signatures": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.EncodedKeys(batch.Packed(b[:320], 32)), Signatures: batch.Strided(b[:584], 64,
				65)},
			10, "batch: Signatures: 9 rows, want 10"},
		"half a row": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.EncodedKeys(batch.Packed(b[:330], 32)), Signatures: batch.Packed(b[:640], 64)},
			10, "batch: Keys: row 10 has 10 bytes, want 32"},
		"half a field": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.EncodedKeys(batch.Packed(b[:320], 32)), Signatures: batch.Strided(b[:9*70+63], 64,
				70)},
			10, "batch: Signatures: row 9 has 63 bytes, want 64"},
		"a width": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 31)},
			10, "batch: Messages: a width of 31, want 32"},
		"no column": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.EncodedKeys(batch.Packed(b[:320], 32))},
			10, "batch: Signatures: no column; Packed, Strided or Same makes one"},
		"nothing": {batch.SchnorrRows{},
			10, "batch: Messages: no column; Packed, Strided or Same makes one"},
		"all the same": {batch.SchnorrRows{Messages: batch.Same(b[:32]),
			Keys:       batch.EncodedKeys(batch.Same(b[:32])),
			Signatures: batch.Same(b[:64])},
			0, "batch: no rows"},
		"fewer than no rows": {batch.SchnorrRows{Messages: batch.Same(b[:32]),
			Keys: batch.EncodedKeys(batch.Same(b[:32])), Signatures: batch.Same(b[:64])},
			-1, "batch: no rows"},
		"fewer rows than there are": {batch.SchnorrRows{Messages: batch.Packed(b[:320], 32),
			Keys: batch.EncodedKeys(batch.Packed(b[:320], 32)), Signatures: batch.Packed(b[:640], 64)},
			9, "batch: Messages: 10 rows, want 9"},
		"no rows": {batch.SchnorrRows{Messages: batch.Same(b[:32]),
			Keys:       batch.EncodedKeys(batch.Packed(nil, 32)),
			Signatures: batch.Packed(nil, 64)}, 0, "batch: no rows"},
		"rows in some columns": {batch.SchnorrRows{Messages: batch.Packed(b[:32], 32),
			Keys: batch.EncodedKeys(batch.Packed(nil, 32)), Signatures: batch.Packed(nil, 64)},
			1, "batch: Keys: 0 rows, want 1"},
	} {
		if ok, err := test.rows.VerifyAll(context.Background(), test.n, nil); ok || err == nil ||
			err.Error() != test.want {
			t.Errorf("%s: %v, %v\nwant %s", what, ok, err, test.want)
		}
	}
}

// TestCancelEverywhere cancels calls at each of the points where they check their context. It
// checks that each row then has its correct verdict or Unchecked, that the answer for all rows is
// correct or an error, and that the next call works.
func TestCancelEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 52))
	n := 900
	if !cputest.Deep() {
		n = 200
	}
	mixed := slices.Clone(pick(r, schnorrRows(), n))
	good := pick(r, slices.DeleteFunc(slices.Clone(schnorrRows()),
		func(r row) bool { return !isValid(r) }), n)
	each(t, func(t *testing.T) {
		for _, rows := range [][]row{good, mixed} {
			all := !slices.ContainsFunc(rows, func(r row) bool { return !isValid(r) })
			s := batch.SchnorrRows{Messages: spread(r, 0, fields(rows, msg)),
				Keys: batch.EncodedKeys(spread(r, 0, fields(rows, key))), Signatures: spread(r, 0,
					fields(rows, sig))}
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
				for _, o := range []*batch.Options{nil, {Exact: true}, {Workers: 2}} {
					_, err := s.Verify(under(), verdicts, o)
					check("Verify", verdicts, err)
					ended = ended || err != nil
					got, err := s.VerifyAll(under(), n, o)
					if err == nil && got != all || err != nil && (got || !errors.Is(err, errDone)) {
						t.Fatalf("VerifyAll: %v, %v", got, err)
					}
				}
				_, err := acc.Verify(under(), verdicts)
				check("Verify", verdicts, err)
				got, err := acc.VerifyAll(under())
				if err == nil && got != all || err != nil && (got || !errors.Is(err, errDone)) {
					t.Fatalf("accumulator: %v, %v", got, err)
				}
				if !ended {
					break
				}
				ends++
				if verifyAll(&acc) != all {
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
