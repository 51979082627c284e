//go:build !amd64 || purego

package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

func haveLanes() bool { return false }

// A laneAdder is nothing here.
type laneAdder struct{}

func (laneAdder) missing() bool { panic("sums: no lanes") }

func (w *adder) addLanes(rows []point.Affine, a, b, out []ref) (infinite bool) {
	return w.lanes.missing()
}

func timesLambda(rows []point.Affine) { timesLambdaSingle(rows) }

// loadEvery sets lane j of p to points[j·step].
func loadEvery(p *lanes.Affine, points []point.Affine, step int) {
	for j := range lanes.Width {
		q := &points[j*step]
		p.SetLane(j, &q.X, &q.Y)
	}
}
