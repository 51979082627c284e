package sums

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestResume checks that points are added correctly to the position sums of an earlier run, also if
// a point is equal or opposite to the earlier sum at its position.
func TestResume(t *testing.T) {
	points, _ := walk(t, 1, big.NewInt(1), big.NewInt(1))
	p := points[0]
	rows := make([]point.Affine, firstBase+1+100)
	rows[fillRef>>rowShift].SetGenerator()
	rows[firstBase] = p
	var w worker
	var sums positionSums
	sums.set(5, &p)
	sums.set(6, &p)
	sums.set(7, &p)
	w.start(&profile.Current().Sums, rows, firstBase+1, len(rows), sumPositions)
	w.resume(&sums)
	w.accumulate(6, firstBase<<rowShift)
	w.accumulate(7, firstBase<<rowShift|1)
	w.drain()
	w.collect(&sums)
	var double point.Jacobian
	double.SetAffine(&p)
	double.DoubleN(&double, 1)
	for i := range sumPositions {
		q, ok := sums.point(i)
		var got point.Jacobian
		got.SetAffine(&q)
		switch i {
		case 5:
			if q != p {
				t.Error("a sum that nothing was added to has changed")
			}
		case 6:
			if !got.Equal(&double).Bool() {
				t.Error("P + P is not 2P")
			}
		default:
			if ok {
				t.Error("position", i, "is not infinity")
			}
		}
	}
}
