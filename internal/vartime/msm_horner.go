package vartime

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// horner sets r to the sum of 2^i·sums[…][i].
func horner(r *point.Jacobian, sums []positionSums) {
	if haveLanes() && hornerLanes(r, sums) {
		return
	}
	hornerSingle(r, sums)
}

// hornerSingle is horner, one point after the other.
func hornerSingle(r *point.Jacobian, sums []positionSums) {
	var acc point.Jacobian
	acc.SetInfinity()
	doublings := 0
	for i := sumPositions - 1; i >= 0; i-- {
		doublings++
		for j := range sums {
			q := &sums[j][i]
			if *q == (point.Affine{}) {
				continue
			}
			if doublings > 0 {
				acc.DoubleN(&acc, doublings)
				doublings = 0
			}
			acc.AddMixedVartime(&acc, q)
		}
	}
	if doublings > 0 {
		acc.DoubleN(&acc, doublings)
	}
	r.Set(&acc)
}

// lanePositions is how many positions a lane of hornerLanes has.
const lanePositions = (sumPositions + lanes.Width - 1) / lanes.Width

// hornerLanes is horner with the positions cut into eight parts, one for each
// lane, whose sums are then put together. It gives up, and returns false, if a sum
// meets itself or its opposite on the way.
func hornerLanes(r *point.Jacobian, sums []positionSums) bool {
	var acc lanes.Jacobian
	var begun lanes.Mask
	for i := lanePositions - 1; i >= 0; i-- {
		if begun != 0 {
			acc.DoubleN(&acc, 1)
		}
		for k := range sums {
			var here lanes.Mask
			var rows [lanes.Width][rowWords]uint64
			for j := range lanes.Width {
				at := j*lanePositions + i
				if at >= sumPositions || sums[k][at] == (point.Affine{}) {
					continue
				}
				here |= 1 << j
				q := &sums[k][at]
				x, y := q.X.Limbs(), q.Y.Limbs()
				copy(rows[j][:4], x[:])
				copy(rows[j][4:], y[:])
			}
			if here == 0 {
				continue
			}
			var a lanes.Affine
			var first, sum lanes.Jacobian
			a.Unpack(&rows)
			if again := here & begun; again != 0 {
				sum.AddMixed(&acc, &a)
				acc.Select(again, &sum, &acc)
			}
			if here&^begun != 0 {
				first.SetAffine(&a)
				acc.Select(here&^begun, &first, &acc)
			}
			begun |= here
		}
	}
	if acc.IsInfinity()&begun != 0 {
		return false
	}
	var total point.Jacobian
	total.SetInfinity()
	for j := lanes.Width - 1; j >= 0; j-- {
		total.DoubleN(&total, lanePositions)
		if begun>>j&1 != 0 {
			var part point.Jacobian
			acc.Lane(j, &part.X, &part.Y, &part.Z)
			total.AddVartime(&total, &part)
		}
	}
	r.Set(&total)
	return true
}
