package lanewise

import (
	"crypto/rand"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// A sum that meets an equal or opposite addend has to be computed again, and without lanes a row
// takes up to five times as long. Signers can provoke this in every row, for example with the key
// G. So after an exceptional case sums are guarded: they begin with a random point, which is
// subtracted at the end. Signers do not know it, so the probability that a guarded sum meets an
// equal or opposite addend is negligible.

// guardedGroups is the number of groups that are guarded after an exceptional case.
const guardedGroups = 256

// A guard holds the points 2^(−i)·U for a point U. A guarded sum begins with one of them, which it
// doubles i times, and the method finish subtracts U.
type guard [guardTop + 1]point.Affine

// guardTop is the largest number of doublings in a sum. The method sum makes this number.
const guardTop = laneDigit * (eisenstein.MaxDigits - 1)

// newGuard returns the guard with U = 2^guardTop·k·G.
func newGuard(k *scalar.Scalar) *guard {
	var points [guardTop + 1]point.Jacobian
	vartime.ScalarBaseMult(&points[guardTop], k)
	for i := guardTop; i > 0; i-- {
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

// finish sets r to the sums of a group, which are in the lanes of acc. A lane has Z ≡ 0 if its sum
// met an exceptional case or is infinity. For each such lane j, finish calls alone(j), which sets
// r[j] without lanes, and the next groups are guarded.
func (w *Lanes) finish(r []point.Jacobian, acc *lanes.Jacobian, alone func(j int)) {
	var minus point.Affine
	guarded, again := w.guarded > 0, false
	if guarded {
		w.guarded--
		minus.Neg(&w.guard[0])
	}
	vartime.SetPoints(r, acc)
	for j := range r {
		switch {
		case r[j].IsInfinity().Bool():
			alone(j)
			again = true
		case guarded:
			r[j].AddMixedVartime(&r[j], &minus)
		}
	}
	if again && !guarded {
		w.guarded = guardedGroups
		if w.guard == nil {
			k := randomFactor()
			w.guard = newGuard(&k)
		}
	}
}

// begin starts a sum that will be doubled top times. If the sum is guarded, begin sets
// w.memory.Acc to the point of the guard. It returns the mask of the lanes that hold a sum: all
// lanes or none.
func (w *Lanes) begin(top int) lanes.Mask {
	if w.guarded == 0 {
		return lanes.None()
	}
	m, p := w.memory, &w.guard[top]
	m.Q.X.Broadcast(&p.X)
	m.Q.Y.Broadcast(&p.Y)
	m.Acc.SetAffine(&m.Q)
	return lanes.All()
}
