// Package msm computes sums of many products of public scalars and public points of
// secp256k1:
//
//	k₀·P₀ + k₁·P₁ + … + kₙ₋₁·Pₙ₋₁
//
// A long sum takes much less time for each term than one multiplication. Verification of many
// proofs, signatures or commitments at once becomes such a sum, of random multiples of their
// equations.
//
// All arguments must be public: time and memory accesses depend on every scalar and every point.
// The names of functions end in Vartime to say so.
//
// Results are exact for every input, also for points that are equal, opposite or the identity, and
// for scalars that are 0. docs/msm.md describes the algorithms and their memory.
package msm
