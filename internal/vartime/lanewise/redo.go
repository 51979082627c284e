package lanewise

import (
	"crypto/rand"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A sum that meets an equal or opposite addend has to be computed again, and without lanes a row
// takes up to five times as long. Signers can provoke this in every row, for example with the key
// G. So after the first exceptional case sums are guarded: they begin with a random point, which is
// subtracted at the end. Signers do not know it, so the probability that a guarded sum meets an
// equal or opposite addend is negligible.

// guardedGroups is the number of groups that are guarded after an exceptional case.
const guardedGroups = 64

// A guard holds the points 2^(−i)·U for a point U. A guarded sum begins with one of them, which it
// doubles i times, and the method finish subtracts U.
type guard [laneTop + 1]point.Affine

// newGuard returns the guard with U = 2^laneTop·k·G.
func newGuard(k *scalar.Scalar) *guard {
	var points [laneTop + 1]point.Jacobian
	vartime.ScalarBaseMult(&points[laneTop], k)
	for i := laneTop; i > 0; i-- {
		points[i-1].Set(&points[i]).DoubleNVartime(1)
	}
	var g guard
	point.BatchToAffineVartime(g[:], points[:])
	return &g
}

// randomFactor returns a random number that is not zero.
func randomFactor() (k scalar.Scalar) {
	b := [32]byte{15: 1}
	rand.Read(b[16:])
	ct.DeclassifyBytes(b[:]) // no result depends on it
	k.SetBytes(&b)
	return k
}

// finish sets r to the results of a group. The function sum returns them in lanes; its result is
// valid until the next call. A lane has Z ≡ 0 if its sum met an exceptional case or is infinity.
// While w.guarded is positive, the sums contain w.guard[0] as well. The function alone sets r[j]
// without lanes.
func (w *Lanes) finish(r []point.Jacobian, sum func() *lanes.Jacobian, alone func(j int)) {
	rows := lanes.First(len(r))
	if w.guarded == 0 {
		acc := sum()
		if !acc.Z.IsZero().And(rows).Any() {
			vartime.SetPoints(r, acc)
			return
		}
		if w.guarded = guardedGroups; w.guard == nil {
			k := randomFactor()
			w.guard = newGuard(&k)
		}
	}
	acc := sum()
	w.guarded--
	minus := w.guard[0]
	minus.Y.Neg(&minus.Y).Normalize()
	w.setAddend(&minus)
	var results lanes.Jacobian
	results.AddMixedIncomplete(acc, &w.memory.Q)
	vartime.SetPoints(r, &results)
	again := results.Z.IsZero().And(rows)
	if !again.Any() {
		return
	}
	// In nearly all of these lanes the result is infinity.
	var sums [lanes.Width]point.Jacobian
	vartime.SetPoints(sums[:len(r)], acc)
	for j := range r {
		switch {
		case !again.Has(j):
		case sums[j].IsInfinity().Bool():
			alone(j)
		default:
			r[j].AddMixedVartime(&sums[j], &minus)
		}
	}
}

// setAddend sets w.memory.Q to p in every lane.
func (w *Lanes) setAddend(p *point.Affine) {
	w.memory.Q.X.Broadcast(&p.X)
	w.memory.Q.Y.Broadcast(&p.Y)
}
