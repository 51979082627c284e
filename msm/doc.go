// Package msm computes sums of many products of public scalars and public points of secp256k1:
//
//	k₀·P₀ + k₁·P₁ + … + kₙ₋₁·Pₙ₋₁
//
// A term of a long sum takes much less time than a single multiplication. Verification of many
// proofs, signatures or commitments at once can be written as one sum, of random multiples of their
// equations.
//
// All arguments must be public: time and memory accesses depend on every scalar and every point.
// The names of functions end in Vartime to say so.
//
// Results are exact for every input, including points that are equal, opposite or the identity, and
// scalars that are 0. docs/msm.md describes the algorithms and their memory.
package msm
