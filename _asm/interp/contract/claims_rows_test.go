package contract

import (
	"math/big"
	"slices"
)

// point returns the two coordinates of a point in a lane of the buffer, from the given element on.
func pointIn(buffer string, element, lane int, top uint) []number {
	at := ElementWords*element + lane
	return []number{
		limbsAt(buffer, at, Lanes, top), limbsAt(buffer, at+ElementWords, Lanes, top),
	}
}

// rowIn returns the two coordinates of the point in a row of the buffer.
func rowIn(buffer string, row int) []number {
	return []number{rowAt(buffer, 8*row), rowAt(buffer, 8*row+4)}
}

func same(in []*big.Int) []*big.Int { return slices.Clone(in) }

// rowClaims has the claims of the kernels, of the level IFMA, that move numbers between rows and
// lanes. Those of the other levels have the same.
var rowClaims = map[string]claim{
	"lanes.unpackIFMA": {
		text: "lane j of p is congruent to row j, for each j",
		places: func(_ *Call, lane int) (in, out []number) {
			return rowIn("rows", lane), pointIn("p", 0, lane, 52)
		},
		want: same,
	},
	"lanes.packIFMA": {
		text: "row j is congruent to lane j of p and below the modulus, for each j",
		ring: Ring{Modulus: p, Canonical: true},
		places: func(_ *Call, lane int) (in, out []number) {
			return pointIn("p", 0, lane, 49), rowIn("rows", lane)
		},
		want: same,
	},
}
