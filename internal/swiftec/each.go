//ct:public decodes public keys

package swiftec

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// shared is the greatest number of rows that share an inversion.
const shared = 64

// DecodeEach sets every x[i].X to XSwiftEC(u, t) of BIP-324, normalized, where u and t are the
// fields X and Y of pairs[i]. It sets x[i].Y to 0. x must be as long as pairs, and may be the same
// slice. The rows share inversions.
func DecodeEach(x, pairs []point.Affine) {
	var rows [shared]X
	var inverses, scratch [shared]field.Element
	for len(pairs) > 0 {
		n := min(len(pairs), shared)
		for i := range n {
			pair := pairs[i]
			rows[i].Decode(&pair.X, &pair.Y)
			inverses[i] = rows[i].d
		}
		field.BatchInvertVartime(inverses[:n], scratch[:n])
		for i := range n {
			x[i] = point.Affine{}
			x[i].X.Mul(&rows[i].n, &inverses[i])
			x[i].X.Normalize()
		}
		x, pairs = x[n:], pairs[n:]
	}
}
