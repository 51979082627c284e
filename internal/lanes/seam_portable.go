//go:build !amd64 || purego

package lanes

import "github.com/koblitz-go/koblitz/internal/scalar"

// The seam without assembly: the portable twin everywhere.

// Available returns whether the CPU has the instructions that make lanes fast.
func Available() bool { return false }

func mul(v, a, b *Element)                          { mulGeneric(v, a, b) }
func squareN(v, a *Element, n int)                  { squareNGeneric(v, a, n) }
func squareNPair(v, a *[2]Element, n int)           { squareNPairGeneric(v, a, n) }
func mulAdd(v, a, b, c, d *Element)                 { mulAddGeneric(v, a, b, c, d) }
func add(v, a, b *Element)                          { addGeneric(v, a, b) }
func sub(v, a, b *Element)                          { subGeneric(v, a, b) }
func mulSmall(v, a *Element, k uint64)              { mulSmallGeneric(v, a, k) }
func normalize(v, a *Element)                       { normalizeGeneric(v, a) }
func selectLanes(v *Element, m Mask, a, b *Element) { selectLanesGeneric(v, m, a, b) }
func condNeg(v *Element, m Mask, a *Element)        { condNegGeneric(v, m, a) }
func doubleN(p, q *Jacobian, n int)                 { doubleNGeneric(p, q, n) }
func addMixed(p, q *Jacobian, a *Affine)            { addMixedGeneric(p, q, a) }
func addJacobian(p, q, r *Jacobian)                 { addJacobianGeneric(p, q, r) }
func addAffine(p, a, b *Affine, inv *Element)       { addAffineGeneric(p, a, b, inv) }
func addCoZ(p *CoZ, q, d *Affine)                   { addCoZGeneric(p, q, d) }
func unpack(p *Affine, rows *[Width][8]uint64)      { unpackGeneric(p, rows) }
func pack(rows *[Width][8]uint64, p *Affine)        { packGeneric(rows, p) }
func mulScalar(v, a, b *Scalar)                     { mulScalarGeneric(v, a, b) }
func isZero(a *Element) Mask                        { return isZeroGeneric(a) }

func unpackScalars(p *Affine, s *[twice]scalar.Scalar) { unpackScalarsGeneric(p, s) }
func packScalars(s *[twice]scalar.Scalar, p *Affine)   { packScalarsGeneric(s, p) }
func splitOdd(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, l uint) {
	splitOddGeneric(b1, b2, k, l)
}
