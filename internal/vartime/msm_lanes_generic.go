//go:build !amd64 || purego

package vartime

import "github.com/koblitz-go/koblitz/internal/point"

func haveLanes() bool { return false }

const minLanePairs = 0

type laneAdder struct{}

func (w *adder) addLanes(rows []point.Affine, a, b, out []ref) (infinite bool) {
	panic("vartime: no lanes")
}
