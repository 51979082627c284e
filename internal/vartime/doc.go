// Package vartime multiplies points by scalars that are public: whatever goes
// in may be learned by watching how long it takes and which memory it reads.
// Verification and recovery live on it; nothing that touches a secret may
// import it.
//
// A sum a·G + b·P is computed in three steps:
//
//   - b is split by the endomorphism into two halves of 128 bits for P and
//     λ·P (docs/endomorphism.md), a is cut in the middle into two halves for G
//     and 2^128·G;
//   - each half becomes a string of signed odd digits with long gaps of zeros
//     (wNAF), short digits for P, whose table has to be made, long ones for G,
//     whose tables are embedded in the binary;
//   - one chain of 128 doublings serves all four: interleaving, in Möller's
//     "Algorithms for Multi-exponentiation" (SAC 2001, section 3.2), after Straus.
//
// The table for P is brought to one common denominator instead of being made
// affine, which needs no inversion: see [point.Jacobian.AddScaledVartime].
//
// For a point that is multiplied often, a [SplitTable] holds multiples of the point that leave
// few of the doublings (wNAF splitting, in Möller's "Improved Techniques for Fast
// Exponentiation", ICISC 2002). The two halves of a above are its smallest case.
//
// Package blocks does the same for many rows at a time, and package sums adds up many products.
//
// Every function is exact on every input: points that meet themselves, their
// opposites or infinity on the way are added by the right formula.
package vartime
