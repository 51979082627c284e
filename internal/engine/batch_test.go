package engine

import (
	"context"
	"math/rand"
	"testing"
)

// TestTogether checks that rows that are malformed or have no equation, because they have no
// recovery id, are left out of the equation, and that the equation is computed for the remaining
// rows.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewSource(20))
	const n, out = 120, 3 // every tenth row from row 3 on is left out
	ctx := context.Background()
	schnorr := schnorrRows(r, n, someKeys(r, 20), xOnly, oddY, evenY)
	ecdsa := ecdsaRows(r, n, someKeys(r, 20))
	for i := out; i < n; i += 10 {
		Row{schnorr, i}.SetKey(nil, nil)
		ecdsa.flags[i] = 0
	}
	for _, test := range []struct {
		kind       Kind
		rows       *Rows
		want, last Verdict // of the rows left out: by an equation, and at the end
	}{
		{Schnorr, schnorr, Malformed, Malformed}, {ECDSA, ecdsa, Unchecked, Valid},
	} {
		onLevels(t, func(t *testing.T) {
			b, verdicts := &Batch{rows: *first(test.rows, n)}, make([]Verdict, n)
			together := func(lo, hi int, want bool) {
				t.Helper()
				_, holds, err := b.together(ctx, test.kind, lo, hi, verdicts[:hi-lo],
					Options{Workers: 1}, nil)
				if holds != want || err != nil {
					t.Errorf("kind %v, rows %d to %d: %v, %v", test.kind, lo, hi, holds, err)
				}
			}
			check := func(what string, out Verdict) {
				t.Helper()
				for i, v := range verdicts {
					want := Valid
					if i%10 == 3 {
						want = out
					}
					if v != want {
						t.Errorf("kind %v, %s, row %d: %d, want %d", test.kind, what, i, v, want)
					}
				}
			}
			together(0, n, true)
			check("together", test.want)
			for _, exact := range []bool{false, true} {
				o := Options{Exact: exact, Workers: 2}
				ok, err := b.VerifyAll(ctx, test.kind, o)
				if ok != (test.last == Valid) || err != nil {
					t.Error(test.kind, ok, err)
				}
				if err := b.Verify(ctx, test.kind, verdicts, o); err != nil {
					t.Error(err)
				}
				check("each", test.last)
			}
			together(0, 5, false)      // too few rows for an equation
			together(out, out+1, true) // no row is in the equation
			if verdicts[0] != test.want {
				t.Errorf("kind %v: the only row is %v", test.kind, verdicts[0])
			}
			// VerifyAll must find a row that is invalid and in no equation, and an equation one that is
			// in it.
			b.rows.a[out].Add(&b.rows.a[out], &b.rows.a[out+1])
			together(0, n, true)
			if ok, err := b.VerifyAll(ctx, test.kind, Options{Workers: 2}); ok || err != nil {
				t.Error(test.kind, ok, err)
			}
			b.rows.a[50].Add(&b.rows.a[50], &b.rows.a[51])
			together(0, n, false)
		})
	}
}
