// Package scalar is arithmetic modulo n, the order of the secp256k1 group:
//
//	n = 2^256 - d,  d = 0x14551231950b75fc4402da1732fc9bebf (129 bits)
//
// A Scalar is always canonical, in [0, n): every method takes and returns such values, so encoding
// and comparing need no reduction. A product is reduced by folding: the part above 2^256 is
// multiplied by d and added to the rest. The bounds in mul.go show that two folds and one
// correction are enough.
//
// Split writes a scalar as k1 + k2·λ with halves below 2^128, so that a multiplication of a point
// with the curve's endomorphism needs half as many doublings. docs/endomorphism.md has the
// mathematics, and glv.go the bound.
//
// The time of a function does not depend on its values unless its name ends in Vartime. The choices
// that functions return (IsZero, IsHigh, …) may be secret: a caller that branches on a choice makes
// it public.
package scalar

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package scalar -dir ../internal/scalar
