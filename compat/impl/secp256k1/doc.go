// Package secp256k1 implements the types and functions of
// github.com/decred/dcrd/dcrec/secp256k1/v4, with the arithmetic of koblitz.
//
// It is not for direct use, and promises no compatibility between versions of koblitz. The module
// in compat/dcrec/v4 consists of aliases for it, under the path that programs import. New code
// should use package koblitz, whose types are harder to misuse; docs/port.md explains how.
//
// Names, arguments, results and errors are those of version 4.4.1, and of later additions on its
// development branch. Differences:
//
//   - The running time of functions that take secrets does not depend on the secrets:
//     arithmetic, inversion, square roots, multiplication of the base and of any point. That
//     includes functions with names that end in NonConst. It does not include [AddNonConst] and
//     [JacobianPoint.EquivalentNonConst] if a point is infinity or two points are equal or
//     opposite, conversions to big.Int, and functions that only take public data, such as
//     parsing public keys.
//   - A field value is always less than 2²⁵⁶, and results are right after any sequence of
//     operations: arguments that state a magnitude are ignored. Values that must be normalized
//     in the replaced package must be normalized here as well.
//   - [ScalarBaseMultNonConst] and [ScalarMultNonConst] may return other Jacobian coordinates
//     of the same point. After [JacobianPoint.ToAffine] they are equal. Sums and doubles of equal
//     coordinates have equal coordinates.
//   - [NewPublicKey] normalizes its coordinates. The replaced package encodes a key wrongly that
//     was made from coordinates that are not normalized.
//   - For a point that is not on the curve, a multiplication returns another point, which an HMAC
//     of the scalar and the point determines. In the replaced package it returns a multiple on
//     another curve, which reveals bits of the scalar.
//   - [JacobianPoint.EquivalentNonConst] distinguishes points of two curves with the same x
//     coordinate, which the replaced package takes for equal.
//   - The receiver of [FieldVal.SquareRootVal] may be its argument. In the replaced package such
//     a call reports that there is no root, except for 0 and 1.
package secp256k1

//go:generate go run ../generate.go
