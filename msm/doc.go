// Package msm computes sums of many products of public scalars and public points of
// secp256k1:
//
//	k₀·P₀ + k₁·P₁ + … + kₙ₋₁·Pₙ₋₁
//
// The more terms there are, the less each costs; a single product costs one
// multiplication. Verifying many proofs, signatures or commitments at once means
// computing one such sum, of random multiples of their equations.
//
// Do not use it with secrets: time and memory accesses depend on every scalar and
// every point. So names of functions contain Vartime.
//
// Results are exact for every input, including equal points, opposite points, the
// identity, scalars that are 0, and exceptional cases in partial sums. docs/msm.md
// describes the algorithms and their memory.
package msm
