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

// TestGuard checks that sums that met an exceptional case do not meet one when they are guarded,
// and that results are right even if the point of the guard is known and meets one.
func TestGuard(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(10))
		w := NewLanes(lanes.Width)
		var p []point.Affine
		var a, b []scalar.Scalar
		for len(p) < lanes.Width {
			P := []point.Affine{toPoint(big.NewInt(1))}
			x := []scalar.Scalar{*vartimetest.Scalar(reference.RandInt(r))}
			y := []scalar.Scalar{*vartimetest.Scalar(reference.RandInt(r))}
			w.makeTables(P)
			if w.sum(0, x, y).Z.IsZero().Has(0) {
				p, a, b = append(p, P[0]), append(a, x[0]), append(b, y[0])
			}
		}
		a[3].Neg(&b[3]) // this result is infinity
		got := make([]point.Jacobian, len(p))
		run := func(what string, guarded int) {
			t.Helper()
			w.DoubleScalarMult(got, a, b, p)
			for i := range got {
				var want point.Jacobian
				vartime.DoubleScalarMult(&want, &a[i], &b[i], &p[i])
				if got[i].Equal(&want) != 1 {
					t.Errorf("%s: row %d is wrong", what, i)
				}
			}
			if w.guarded != guarded {
				t.Errorf("%s: %d groups are guarded, want %d", what, w.guarded, guarded)
			}
		}
		run("for the first time", guardedGroups-1)
		if w.sum(0, a, b).Z.IsZero().Any() {
			t.Error("a guarded sum meets an exceptional case")
		}
		run("guarded", guardedGroups-2)
		w.plus, w.minus = toPoint(big.NewInt(1)), toPoint(new(big.Int).Lsh(big.NewInt(-1), laneTop))
		if !w.sum(0, a, b).Z.IsZero().Any() {
			t.Error("guarded by G, no sum meets an exceptional case")
		}
		run("guarded by G", guardedGroups-3)
		w.guarded = 1
		run("at last", 0)
	})
}
