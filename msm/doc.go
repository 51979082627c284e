// Package msm adds up many products of public scalars and public points of
// secp256k1:
//
//	k₀·P₀ + k₁·P₁ + … + kₙ₋₁·Pₙ₋₁
//
// What takes one multiplication a term otherwise costs less and less a term the
// more there are: verification of many proofs, signatures or commitments at once
// becomes one such sum, of random multiples of their equations.
//
// Nothing secret may go in: time and memory accesses depend on every scalar and
// on every point, and functions say so by Vartime in their names.
//
// Results are exact for every input: points that are equal, opposite or the
// identity, scalars that are 0, and whatever meets on the way. docs/msm.md
// describes the algorithms and their memory.
package msm
