package blocks

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// lookupPortable is laneTables.lookup on any CPU.
func lookupPortable(p *lanes.Affine, t *laneTables, digits *[3]lanes.Vector, shift, width, skip int) {
	for j := range lanes.Width {
		code := windowAt(digits, j, uint(shift), uint(width))
		half := 1 << (width - 1)
		index, negate := code-half, ct.Choice(0)
		if index < 0 {
			index, negate = half-1-code, 1
		}
		var q point.Affine
		t.entry(&q, j, skip+index)
		q.Y.CondNeg(&q.Y, negate)
		p.X.SetLane(j, &q.X)
		p.Y.SetLane(j, &q.Y)
	}
}

// windowAt returns so many bits of lane j's number, from bit shift on.
func windowAt(digits *[3]lanes.Vector, j int, shift, width uint) int {
	i, s := shift/64, shift%64
	x := digits[i][j] >> s
	if i < 2 && s > 0 {
		x |= digits[i+1][j] << (64 - s)
	}
	return int(x & (1<<width - 1))
}
