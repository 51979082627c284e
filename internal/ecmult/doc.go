// Package ecmult multiplies points by secrets.
//
// [ScalarBaseMult] computes k·G and [ScalarMult] computes k·P. Both are right for every k. Neither
// branches on k, uses it as an index, or takes time that depends on it. Package vartime multiplies
// by public numbers, several times faster.
//
// # Odd digits
//
// Both functions cut the scalar into windows of w bits and read a window as the digit 2·bits − (2^w
// − 1): one of ±1, ±3, … ±(2^w − 1). Since Σ (2^w − 1)·2^(w·i) = 2^l − 1 over l bits, the digits of
// a number b represent 2·b − (2^l − 1). Every odd number of l bits and a sign has this form, and
// its digits are read from the bits of b, without carries between them.
//
// This is the signed all-bits-set recoding of Hamburg ("Fast and compact elliptic-curve
// cryptography", ePrint 2012/309, section 3.3): bit by bit, 1 and 0 are read as 1 and −1, and a
// window of such bits is one odd digit. Joye and Tunstall ("Exponent Recoding and Regular
// Exponentiation Algorithms", AFRICACRYPT 2009, algorithm 6) compute the same digits of an odd
// number one after the other, with subtractions.
//
// Odd digits are never zero, so every window adds a finite point. The partial sums are odd
// multiples of powers of two. From this it follows that no partial sum is infinite, or equal or
// opposite to the point that is added to it. So incomplete addition is enough until the end; only
// the last additions use the slower, complete formula. The proofs are at comb.mult, addRounds and
// multiples.mult, and tests recompute the sums as integers to check them. Other tests run the loops
// of comb.mult and multiples.mult for every scalar of small groups, where exceptional cases are
// frequent.
//
// # Fixed base
//
// This is Hamburg's signed multi-comb (in the same section) with adjacent teeth: a table holds the
// odd multiples of 2^(w·i)·G for every window i. So there are no doublings, only one addition per
// window (42 windows of 6 bits, and one of 3), and each window reads its own block of the table.
// One of k and n − k is odd. It is written as 2m + 1, its digits are the bits of m, and the result
// is negated if the odd number was n − k.
//
// On CPUs with AVX-512 IFMA, the sum has eight parts, one in each lane of package lanes. The
// endomorphism splits the scalar into two odd halves, as for a variable base, and each half is cut
// into four parts. The lanes add the digits of their parts at the same time, in six rounds, and
// three more additions join them. See addRounds and addParts for the proof that no addition has an
// exceptional case.
//
// # Variable base
//
// The endomorphism splits the scalar into two halves (Gallant, Lambert, Vanstone, "Faster Point
// Multiplication on Elliptic Curves with Efficient Endomorphisms", CRYPTO 2001): k = d_1 + d_2·λ
// with odd numbers d_1 and d_2 of half the length (see docs/endomorphism.md for the split). So k·P
// = d_1·P + d_2·(λP), and both products share their doublings. There are 125 doublings, and two
// additions for each of 26 windows of 5 bits. P, 3P, … 31P are computed with a common denominator,
// which is applied only at the end; see multiples.
//
// On CPUs with AVX-512 IFMA, package vector adds and doubles with complete formulas, for digits
// of 33 windows of 4 bits; see scalarMultParallel.
//
// # Tables and secrets
//
// To select an entry, the code reads the whole block under masks, one of which is all ones; see
// readPackedGeneric. Memory that held a digit, an index or an entry is wiped before returning. The
// compiler may have left copies in registers and in stack frames of called functions, so callers
// run these functions under package secret.
package ecmult

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package ecmult -dir ../internal/ecmult
