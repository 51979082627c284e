package engine

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// A planned row is one of a batch that is only counted: not valid, or bad at sight,
// which costs nothing, or without an equation.
type plannedRow struct{ bad, cheap, without bool }

// planCost returns what a verification spends on rows, in hundredths of what one costs
// exactly, and how many equations it takes. It counts for itself.
func planCost(t *testing.T, rows []plannedRow) (spent int64, equations int) {
	settled := make([]bool, len(rows))
	v := verification{
		total: len(rows), most: len(rows), workers: 1,
		isCostly: func(i int) bool { return !rows[i].cheap },
		together: func(lo, hi int) (tried int, ok bool, err error) {
			equations++
			ok = true
			for _, r := range rows[lo:hi] {
				if !r.cheap && !r.without {
					tried++
					ok = ok && !r.bad
				}
			}
			if tried > 0 && !EquationPays(tried, 1) {
				return 0, false, nil
			}
			spent += costOfEquation(tried)
			for i := lo; ok && i < hi; i++ {
				settled[i] = !rows[i].cheap && !rows[i].without
			}
			return tried, ok, nil
		},
		each: func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				if !settled[i] && !rows[i].cheap {
					spent += costOfEach(1)
				}
				settled[i] = true
			}
			return nil
		},
	}
	said, _ := v.run()
	if slices.Contains(settled, false) {
		t.Fatal("a row has no verdict")
	}
	if said != spent {
		t.Fatalf("run says that it has spent %d, and it is %d", said, spent)
	}
	return spent, equations
}

// TestCheapRows: rows that cost nothing, or have no equation, are no allowance for
// others: what equations are lost costs a fifth of the exact road of the same rows, and
// not of all there are.
func TestCheapRows(t *testing.T) {
	onLevels(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(2))
		for range 150 {
			n := 1 + r.Intn(6000)
			rows := make([]plannedRow, n)
			// Up to four stretches, each of one sort.
			costly := int64(0)
			for at := 0; at < n; {
				end := min(n, at+1+r.Intn(n))
				row := plannedRow{bad: r.Intn(2) == 0, cheap: r.Intn(2) == 0, without: r.Intn(3) == 0}
				for ; at < end; at++ {
					rows[at] = row
					rows[at].cheap = row.cheap != (r.Intn(50) == 0)
				}
			}
			for _, row := range rows {
				if !row.cheap {
					costly++
				}
			}
			if spent, _ := planCost(t, rows); spent > 120*costly {
				t.Fatalf("%d rows, %d of them costly: %d of 100 a costly row", n, costly, spent/costly)
			}
		}
	})
}

// TestNextEquation: no pattern of bad rows costs more than 1.2 times the exact
// road, and a good batch hardly more than one equation.
func TestNextEquation(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for _, n := range []int{1, 15, 16, 17, 64, 100, 1000, 4096, 1 << 20} {
			for pattern := range 200 {
				bad := make([]plannedRow, n)
				switch pattern {
				case 0:
				case 1:
					bad[0].bad = true
				case 2:
					bad[n-1].bad = true
				case 3:
					for i := range bad {
						bad[i].bad = true
					}
				default:
					if n > 10000 && (pattern > 20 || pattern > 6 && testing.Short()) {
						continue
					}
					// Some bad rows, from some place on.
					from, one := r.Intn(n), 1+r.Intn(1+r.Intn(n))
					for i := from; i < n; i += 1 + r.Intn(one) {
						bad[i].bad = true
					}
				}
				spent, equations := planCost(t, bad)
				if spent > 120*int64(n) {
					t.Fatalf("%d rows, pattern %d: %d, of 100 a row", n, pattern, spent/int64(n))
				}
				if pattern == 0 && n >= 1000 && (equations > 4 || spent > costOfEquation(n)*5/4) {
					t.Errorf("%d good rows: %d equations, %d of 100 a row", n, equations, spent/int64(n))
				}
			}
		}
	}, cputest.Portable, cputest.ADX, cputest.Lanes)
}
