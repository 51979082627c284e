package eisenstein

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestLoad checks that Load returns the right point in each lane, for random digits, and the mask
// of the lanes whose digit is not 0. From an entry q that SetEntry wrote, a digit selects q, ω·q or
// ω²·q, or the opposite of one of these.
func TestLoad(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		beta, square := lanes.Beta()
		const entries = 3
		for range 200 {
			var points [entries]lanes.Affine
			table := make([]lanes.Packed, EntryParts*entries)
			for e := range points {
				var packed lanes.Packed
				for j := range packed {
					for k := range packed[j] {
						packed[j][k] = r.Uint64()
					}
				}
				points[e].Unpack(&packed)
				SetEntry(table, e, &points[e], new(lanes.Affine), &beta, &square)
			}
			var vector DigitVector
			var want lanes.Affine
			some := lanes.None()
			for j := range lanes.Width {
				e, times := r.IntN(entries), r.IntN(3)
				d := [...]uint64{0, digitSecond, digitSecond | digitHalf}[times]
				d |= r.Uint64() & (digitCarry | digitNegative | digitSome)
				some.Put(j, d/digitSome&1)
				vector.digits.Set(j, uint64(e*entrySize)+d)

				q := points[e]
				for range times {
					q.X.Mul(&q.X, &beta)
				}
				if d&digitNegative != 0 {
					q.Y.Neg(&q.Y)
				}
				lane := lanes.First(j + 1).AndNot(lanes.First(j))
				want.X.Select(lane, &q.X, &want.X)
				want.Y.Select(lane, &q.Y, &want.Y)
			}
			var out lanes.Affine
			if got := vector.Load(&out, table); got != some {
				t.Fatalf("lanes %v with a digit, want %v", got, some)
			}
			if out.X.Equal(&want.X).And(out.Y.Equal(&want.Y)) != lanes.All() {
				t.Fatalf("%v, want %v", out, want)
			}
		}
	})
}
