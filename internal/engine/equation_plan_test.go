package engine

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
)

// planCost returns what VerifyEach spends on rows of which bad says which are not
// valid, and how many equations it takes.
func planCost(bad []bool) (spent int64, equations int) {
	spent = VerifyEach(len(bad), func(lo, hi int) bool {
		equations++
		return !slices.Contains(bad[lo:hi], true)
	}, func(lo, hi int) {})
	return spent, equations
}

// TestNextEquation: no pattern of bad rows costs more than 1.2 times the exact
// road, and a good batch hardly more than one equation.
func TestNextEquation(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(1))
		for _, n := range []int{1, 15, 16, 17, 64, 100, 1000, 4096, 1 << 20} {
			for pattern := range 200 {
				bad := make([]bool, n)
				switch pattern {
				case 0:
				case 1:
					bad[0] = true
				case 2:
					bad[n-1] = true
				case 3:
					for i := range bad {
						bad[i] = true
					}
				default:
					if n > 10000 && pattern > 20 {
						continue
					}
					// Some bad rows, from some place on.
					from, one := r.Intn(n), 1+r.Intn(1+r.Intn(n))
					for i := from; i < n; i += 1 + r.Intn(one) {
						bad[i] = true
					}
				}
				spent, equations := planCost(bad)
				if spent > 120*int64(n) {
					t.Fatalf("%d rows, pattern %d: %d, of 100 a row", n, pattern, spent/int64(n))
				}
				if pattern == 0 && n >= 1000 && (equations > 4 || spent > SpentOnEquation(n)*5/4) {
					t.Errorf("%d good rows: %d equations, %d of 100 a row", n, equations, spent/int64(n))
				}
			}
		}
	}, cputest.Portable, cputest.ADX, cputest.Lanes)
}
