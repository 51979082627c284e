// Package ecmult multiplies points by secrets.
//
// [ScalarBaseMult] is k·G and [ScalarMult] is k·P. Both are right for every k,
// and neither branches on k, uses it as an index, or takes a time that depends
// on it. Multiplication by public numbers, several times faster, is in package
// vartime.
//
// # Odd digits
//
// Both cut the scalar into windows of w bits and read a window as the digit
// 2·bits − (2^w − 1): one of ±1, ±3, … ±(2^w − 1). Since
// Σ (2^w − 1)·2^(w·i) = 2^l − 1 over l bits, the digits of a number b stand for
// 2·b − (2^l − 1). Every odd number of l bits and a sign is such a value, and
// its digits are found by looking at bits, with no carry between them.
//
// This is the signed all-bits-set recoding of Hamburg ("Fast and compact
// elliptic-curve cryptography", ePrint 2012/309, section 3.3): bit by bit, 1 and
// 0 are read as 1 and −1, and a window of such bits is one odd digit. Joye and
// Tunstall ("Exponent Recoding and Regular Exponentiation Algorithms",
// AFRICACRYPT 2009, algorithm 6) arrive at the same digits of an odd number one
// after the other, with subtractions.
//
// Odd digits are never zero, so that there is always something to add, and it
// is always finite. Better still, the partial sums are odd multiples of powers
// of two, and that is what the proofs live on that no sum on the way is ever
// infinite or equal or opposite to what is added to it: the formula for the
// general case is enough until the end, and the dearer one that knows all
// cases is used there. The arguments are with comb.mult and multiples.mult, and
// tests recompute the sums as integers and check them. The other tests run the
// same loops over every scalar of groups so small that exceptions are the
// rule.
//
// # Fixed base
//
// This is Hamburg's signed multi-comb (in the same section) with teeth that are
// neighbours: a table holds the odd multiples of 2^(w·i)·G for every window i.
// So there are no doublings, only one addition a window (42 of 6 bits, one of
// 3), and no two windows read the same block. Of k and n − k one is odd. It is
// represented by 2m + 1, its digits are the bits of m, and the result is
// negated if it was n − k.
//
// # Variable base
//
// A fixed window runs over both halves of the scalar that the endomorphism
// gives (Gallant, Lambert, Vanstone, "Faster Point Multiplication on Elliptic
// Curves with Efficient Endomorphisms", CRYPTO 2001): k = d_1 + d_2·λ with odd
// numbers of half the length (see docs/endomorphism.md for the split), so that
// k·P = d_1·P + d_2·(λP) shares its doublings: 125, with two additions for each
// of 26 windows of 5 bits.
// P, 3P, … 31P are computed so that all have the same denominator, which is
// left out until the end; see multiples.
//
// # Tables and secrets
//
// An entry is picked by reading the whole block, under masks of which one is
// all ones; see entry.readPacked. Memory that held a digit, an index or an
// entry is wiped before returning. The compiler may have kept copies in registers
// and in stack frames of what was called: callers run under package secret.
package ecmult

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package ecmult -dir ../internal/ecmult
