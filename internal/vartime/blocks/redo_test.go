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

// A crafted is a group in which every row meets an exceptional case in lanes.
type crafted struct {
	name string
	want [lanes.Width]*big.Int // discrete logarithms of the results
	sum  func(w *Lanes) *lanes.Jacobian
	call func(w *Lanes, r []point.Jacobian)
}

// craftedGroups returns a group for each function. Only the last result is infinity.
func craftedGroups(t *testing.T) []crafted {
	r := rand.New(rand.NewSource(9))
	x, y := reference.RandInt(r), reference.RandInt(r)
	g := toPoint(big.NewInt(1))
	shape := vartime.NewSplitTable(&g, 26<<10)
	var groups [4]crafted
	add := func(k int, steps []laneStep) (p []point.Affine) {
		for n := 8; len(p) < lanes.Width; n += 3 {
			log := craft(steps, n, n%2 == 0)
			if len(p) == lanes.Width-1 {
				log = new(big.Int).ModInverse(y, reference.N())
				log.Mul(log, x).Neg(log)
			}
			if log != nil {
				sum := new(big.Int).Mul(log, y)
				groups[k].want[len(p)] = sum.Add(sum, x)
				p = append(p, toPoint(log))
			}
		}
		return p
	}
	var a, b, base, addends [lanes.Width]scalar.Scalar
	for i := range a {
		a[i], b[i] = *vartimetest.Scalar(x), *vartimetest.Scalar(y)
	}

	p := add(0, laneSteps(t, &a[0], &b[0]))
	groups[0].name = "DoubleScalarMult"
	groups[0].sum = func(w *Lanes) *lanes.Jacobian {
		w.makeTables(p)
		return w.sum(0, a[:], b[:])
	}
	groups[0].call = func(w *Lanes, r []point.Jacobian) { w.DoubleScalarMult(r, a[:], b[:], p) }

	var c []*vartime.SplitTable
	for _, q := range add(1, splitSteps(&shape, &a[0], &b[0])) {
		table := vartime.NewSplitTable(&q, 26<<10)
		c = append(c, &table)
	}
	groups[1].name = "DoubleScalarMultSplit"
	groups[1].sum = func(w *Lanes) *lanes.Jacobian {
		group := splitGroup{n: lanes.Width, a: a, b: b, c: [lanes.Width]*vartime.SplitTable(c)}
		return group.sum(w)
	}
	groups[1].call = func(w *Lanes, r []point.Jacobian) { w.DoubleScalarMultSplit(r, a[:], b[:], c) }

	var met []*big.Int
	for _, k := range meeting() {
		if NewLanes(1).sumBase([]scalar.Scalar{*vartimetest.Scalar(k)}).Z.IsZero().Has(0) {
			met = append(met, k)
		}
	}
	q := make([]point.Affine, lanes.Width)
	for i := range base {
		k := met[i%len(met)]
		if i == lanes.Width-1 {
			k = new(big.Int)
		}
		groups[2].want[i] = k
		base[i] = *vartimetest.Scalar(k)
		groups[3].want[i] = new(big.Int).Lsh(k, 1) // the point is equal to the multiple
		q[i] = toPoint(k)
		addends[i] = base[i]
	}
	groups[2].name = "ScalarBaseMult"
	groups[2].sum = func(w *Lanes) *lanes.Jacobian { return w.sumBase(base[:]) }
	groups[2].call = func(w *Lanes, r []point.Jacobian) { w.ScalarBaseMult(r, base[:]) }

	last := lanes.Width - 1
	q[last] = q[0]
	addends[last].Neg(&base[0])
	groups[3].want[last] = new(big.Int)
	groups[3].name = "AddBaseMult"
	groups[3].sum = func(w *Lanes) *lanes.Jacobian { return w.sumAddBase(addends[:], q) }
	groups[3].call = func(w *Lanes, r []point.Jacobian) { w.AddBaseMult(r, addends[:], q) }
	return groups[:]
}

// TestGuard checks that sums that met an exceptional case do not meet one when they are guarded, so
// that no row is computed without lanes, and that results are right even if the point of the guard
// is known and a sum meets one.
func TestGuard(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		for _, g := range craftedGroups(t) {
			w := NewLanes(lanes.Width)
			if g.sum(w).Z.IsZero() != lanes.All() {
				t.Fatalf("%s: a sum meets no exceptional case", g.name)
			}
			got := make([]point.Jacobian, lanes.Width)
			call := func(what string, guarded int) {
				t.Helper()
				g.call(w, got)
				for i := range got {
					var want point.Jacobian
					vartime.ScalarBaseMult(&want, vartimetest.Scalar(g.want[i]))
					if got[i].Equal(&want) != 1 {
						t.Errorf("%s, %s: row %d is wrong", g.name, what, i)
					}
				}
				if w.guarded != guarded {
					t.Errorf("%s, %s: %d groups are guarded, want %d", g.name, what, w.guarded, guarded)
				}
			}
			call("first", guardedGroups-1)
			if g.sum(w).Z.IsZero().Any() {
				t.Errorf("%s: a guarded sum meets an exceptional case", g.name)
			}
			call("guarded", guardedGroups-2)
			w.guarded = 1
			call("last", 0)
			call("first again", guardedGroups-1)
			if n := testing.AllocsPerRun(5, func() { g.call(w, got) }); n != 0 {
				t.Errorf("%s: %v allocations", g.name, n)
			}

			// With U = −want[0], the sum of row 0 is infinite. With U = −want[0]/2 it is −U, to which
			// −U is added.
			u := new(big.Int).Neg(g.want[0])
			for _, divisor := range []*big.Int{
				new(big.Int).Lsh(big.NewInt(1), laneTop), new(big.Int).Lsh(big.NewInt(1), laneTop+1),
			} {
				k := divisor.ModInverse(divisor, reference.N())
				w.guarded, w.guard = 2, newGuard(vartimetest.Scalar(k.Mul(k, u)))
				call("with a known guard", 1)
			}
		}
	})
}
