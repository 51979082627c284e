package engine

import (
	"context"
	"math/rand"
	"slices"
	"testing"
)

// TestTogether checks that rows that are malformed or have no equation are left out of the
// equation, and that the equation is computed for the remaining rows.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewSource(20))
	const n = 120
	onLevels(t, func(t *testing.T) {
		b := &Batch{rows: *schnorrRows(r, n, someKeys(r, 20), xOnly, oddY, evenY)}
		Row{&b.rows, 3}.SetKey(nil, nil)
		Row{&b.rows, n - 1}.SetKey(nil, nil)
		verdicts := make([]Verdict, n)
		together := func(lo, hi int) (int, bool, error) {
			return b.together(context.Background(), Schnorr, lo, hi, verdicts[:hi-lo],
				Options{Workers: 1}, nil)
		}
		_, holds, err := together(0, n)
		if !holds || err != nil {
			t.Fatal(holds, err)
		}
		for i, v := range verdicts {
			want := Valid
			if i == 3 || i == n-1 {
				want = Malformed
			}
			if v != want {
				t.Errorf("row %d: %d, want %d", i, v, want)
			}
		}
		// With an invalid row the equation must fail: the row is not left out.
		b.rows.a[50].Add(&b.rows.a[50], &b.rows.a[51])
		if _, holds, err := together(0, n); holds || err != nil {
			t.Errorf("with a bad row: %v, %v", holds, err)
		}
		// Five rows are too few for an equation.
		if _, holds, err := together(0, 5); holds || err != nil || verdicts[3] != Malformed {
			t.Errorf("five rows: %v, %v, %v", holds, err, verdicts[:5])
		}
		// The only row has its verdict from parsing, so no equation is computed.
		if _, holds, err := together(3, 4); !holds || err != nil || verdicts[0] != Malformed {
			t.Errorf("a malformed row: %v, %v", holds, err)
		}
	})
}

// TestWithoutIDs checks that ECDSA rows without a recovery id are verified one by one, and the rows
// with an id by an equation.
func TestWithoutIDs(t *testing.T) {
	r := rand.New(rand.NewSource(21))
	const n = 100
	all := ecdsaRows(r, n, someKeys(r, 20))
	onLevels(t, func(t *testing.T) {
		b := &Batch{rows: *first(all, n)}
		for i := 0; i < n; i += 10 {
			b.rows.flags[i] = 0
		}
		verdicts := make([]Verdict, n)
		_, holds, err := b.together(context.Background(), ECDSA, 0, n, verdicts, Options{Workers: 1}, nil)
		if !holds || err != nil {
			t.Fatal(holds, err)
		}
		for i, v := range verdicts {
			if (v == Valid) != (i%10 != 0) || v > Valid {
				t.Errorf("row %d: %d", i, v)
			}
		}
		for _, exact := range []bool{false, true} {
			o := Options{Exact: exact, Workers: 2}
			if ok, err := b.VerifyAll(context.Background(), ECDSA, o); !ok || err != nil {
				t.Error(ok, err)
			}
			if err := b.Verify(context.Background(), ECDSA, verdicts, o); err != nil ||
				slices.ContainsFunc(verdicts, func(v Verdict) bool { return v != Valid }) {
				t.Error(verdicts, err)
			}
		}
		// Make a row invalid that is in no equation: VerifyAll must find it, too.
		b.rows.a[10].Add(&b.rows.a[10], &b.rows.a[11])
		if ok, err := b.VerifyAll(context.Background(), ECDSA, Options{Workers: 2}); ok || err != nil {
			t.Error(ok, err)
		}
	})
}
