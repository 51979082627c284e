// Package vartime multiplies points by public scalars. The time of its functions
// and the memory that they read reveal their arguments. Verification and recovery
// use it; code that handles secrets must not import it.
//
// A sum a·G + b·P is computed in three steps:
//
//   - The endomorphism splits both scalars into two halves of 128 bits, for P and λ·P,
//     and for G and λ·G (docs/endomorphism.md).
//   - Each half is written in signed odd digits with long gaps of zeros (wNAF).
//     Digits for P are short, because its table must be computed. Digits for G are
//     long, because its table is embedded in the binary.
//   - One chain of 128 doublings serves all four: interleaving, in Möller's
//     "Algorithms for Multi-exponentiation" (SAC 2001, section 3.2), after Straus.
//
// On CPUs with AVX-512 IFMA, package vector adds and doubles, by formulas that are right for
// all points. On other CPUs package point does. The table for P then has one common denominator.
// It is not converted to affine coordinates, which would need an inversion: see
// [point.Jacobian.AddScaledVartime].
//
// For a point that is multiplied often, a [SplitTable] holds multiples with which few
// doublings are necessary (wNAF splitting, in Möller's "Improved Techniques for Fast
// Exponentiation", ICISC 2002).
//
// Package lanewise computes such sums for many rows at a time, and package sums computes sums of
// many products.
//
// Every function is exact on every input: it detects additions of equal points, opposite
// points and infinity, and uses the right formula.
package vartime
