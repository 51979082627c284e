// Package secp256k1 has the types and functions of
// github.com/decred/dcrd/dcrec/secp256k1/v4, computed by koblitz.
//
// It is not for direct use, and makes no promise of compatibility between versions of
// koblitz. The module in compat/dcrec/v4 consists of aliases of it, under the path that
// programs import. New code is better written with package koblitz, whose types are harder
// to misuse; docs/port.md shows the way.
//
// Names, arguments, results and errors are those of version 4.4.1, and of what the
// development branch has added to it since. Differences:
//
//   - Everything that callers hand secrets to takes a time that does not depend on them:
//     arithmetic, inversion, square roots, multiplication of the base and of any point.
//     That holds for names that end in NonConst as well. It does not hold for
//     [AddNonConst] and [JacobianPoint.EquivalentNonConst] where a point is infinity, or
//     two points are equal or opposite, for conversions to big.Int, and for what only takes
//     public data, as parsing public keys.
//   - A field value is always less than 2²⁵⁶, and results are right whatever was computed
//     before: arguments that state a magnitude are ignored. What must be normalized there must
//     be here as well.
//   - [ScalarBaseMultNonConst] and [ScalarMultNonConst] may return other Jacobian coordinates
//     of the same point. After [JacobianPoint.ToAffine] they are the same. Sums and doubles
//     of the same coordinates are the same.
//   - [NewPublicKey] normalizes its coordinates. There a key that was made of coordinates
//     that are not normalized is encoded wrongly.
//   - A multiple of a point that is not on the curve is infinity, so that nothing can be
//     learned about a key from multiples of points of other curves.
//     Verification that is built on multiples has to refuse such points itself: crypto/ecdsa
//     does not, and takes anybody's signatures for those of a key that is none.
//   - [JacobianPoint.EquivalentNonConst] tells points of two curves with one x coordinate
//     apart, which there count as the same.
//   - The receiver of [FieldVal.SquareRootVal] may be its argument. There such a call
//     reports that there is no root, but for 0 and 1.
package secp256k1
