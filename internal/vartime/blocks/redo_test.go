package blocks

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestRedoBudget checks that after many rows that lanes cannot compute, about half of the groups
// are computed without lanes, that lanes are used again after enough good rows, and that every
// result is right.
func TestRedoBudget(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(9))
		w := NewLanes(LaneRows)
		k := new(big.Int).Add(new(big.Int).Rsh(reference.RandInt(r), 1), big.NewInt(1))
		p := toPoint(k)
		split := vartime.NewSplitTable(&p, 1<<10)
		run := func(n int, infinite bool) {
			t.Helper()
			a, b := make([]scalar.Scalar, n), make([]scalar.Scalar, n)
			c, got := make([]*vartime.SplitTable, n), make([]point.Jacobian, n)
			for i := range got {
				var x *big.Int
				y := reference.RandInt(r)
				if infinite {
					x = new(big.Int).Neg(new(big.Int).Mul(y, k))
				} else {
					// Choose factors x of G and y of the key so that no exceptional case occurs by
					// chance.
					x = new(big.Int).SetUint64(r.Uint64() | 1)
					y = new(big.Int).Lsh(big.NewInt(int64(r.Uint64()>>1)), 70)
				}
				a[i], b[i], c[i] = *vartimetest.Scalar(x), *vartimetest.Scalar(y), &split
			}
			w.DoubleScalarMultSplit(got, a, b, c)
			for i := range got {
				var want point.Jacobian
				vartime.DoubleScalarMult(&want, &a[i], &b[i], &p)
				if got[i].Equal(&want) != 1 || infinite && !got[i].IsInfinity().Bool() {
					t.Fatalf("row %d of %d is wrong", i, n)
				}
			}
		}
		run(LaneRows, false)
		run(LaneRows, false)
		if w.redoBudget != maxRedoBudget {
			t.Errorf("a budget of %d after good rows, want %d", w.redoBudget, maxRedoBudget)
		}
		// Lanes without a row must not count as rows that are computed again.
		for range 2 * maxRedoBudget {
			run(1, false)
		}
		if w.redoBudget != maxRedoBudget {
			t.Errorf("a budget of %d after good rows alone, want %d", w.redoBudget, maxRedoBudget)
		}
		for range 4 {
			run(LaneRows, true)
		}
		// A group computed in lanes uses up as much of the budget as a group without lanes
		// restores.
		if w.redoBudget < -lanes.Width || w.redoBudget > 0 {
			t.Errorf("a budget of %d after bad rows", w.redoBudget)
		}
		run(3, true)
		run(1, true)
		run(LaneRows, false)
		run(LaneRows, false)
		if w.redoBudget != maxRedoBudget {
			t.Errorf("a budget of %d after good rows again", w.redoBudget)
		}
	})
}
