package lanewise

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestGuard computes a group in which every sum meets an exceptional case without a guard, and the
// last result is infinity. It checks that the guarded sums meet none, so that no row is computed
// without lanes. It also chooses guards with which a guarded sum does meet an exceptional case, and
// checks that the results are still right.
func TestGuard(t *testing.T) {
	const size = 26 << 10
	vartimetest.OnLanes(t, func(t *testing.T) {
		for k, way := range ways {
			all := crafted(t, k, size)
			rows := make([]row, lanes.Width)
			for i := range rows {
				rows[i] = all[i*len(all)/lanes.Width]
			}
			last := &rows[lanes.Width-1]
			*last = row{new(big.Int), last.b, new(big.Int).Neg(rows[0].a)}
			switch k {
			case addBaseMult:
				last.a = rows[0].a
			case doubleMult, splitMult:
				last.a = rows[0].a
				last.k.Mul(last.k, new(big.Int).ModInverse(last.b, reference.N()))
			}
			v := columnsOf(rows, size)
			w, got := NewLanes(lanes.Width), make([]point.Jacobian, lanes.Width)
			if way.sum(w, v).Z.IsZero() != lanes.All() {
				t.Fatalf("%s: a sum meets no exceptional case", way.name)
			}
			call := func(what string, guarded int) {
				t.Helper()
				clear(got)
				way.call(w, got, v)
				way.check(t, what, got, rows)
				if w.guarded != guarded {
					t.Errorf("%s, %s: %d groups are guarded, want %d", way.name, what, w.guarded, guarded)
				}
			}
			call("first", guardedGroups)
			if way.sum(w, v).Z.IsZero().Any() {
				t.Errorf("%s: a guarded sum meets an exceptional case", way.name)
			}
			call("guarded", guardedGroups-1)
			w.guarded = 1
			call("last", 0)
			call("first again", guardedGroups)
			if n := testing.AllocsPerRun(5, func() { way.call(w, got, v) }); n != 0 {
				t.Errorf("%s: %v allocations", way.name, n)
			}

			// Let U be the point of the guard and S the result of row 3. With U = −S the guarded
			// sum U + S is infinity. With U = −S/2 it is −U, and finish adds an equal point.
			u := new(big.Int).Neg(way.log(rows[3]))
			for _, top := range []uint{guardTop, guardTop + 1} {
				k := new(big.Int).Lsh(big.NewInt(1), top)
				k.ModInverse(k, reference.N())
				w.guarded, w.guard = 2, newGuard(vartimetest.Scalar(k.Mul(k, u)))
				call("with a known guard", 1)
			}
		}
	})
}
