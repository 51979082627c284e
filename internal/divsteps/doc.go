// Package divsteps inverts numbers modulo a prime close to 2^256. In constant time it uses division
// steps, Bernstein and Yang's relative of Euclid's algorithm ("Fast constant-time gcd computation
// and modular inversion", ePrint 2019/266), in the variant that starts from δ = 1/2. For public
// data it uses a binary form of Euclid's algorithm.
//
// # The algorithm
//
// A division step maps (δ, f, g), f odd, to
//
//	(1-δ, g, (g-f)/2)  if δ > 0 and g is odd
//	(1+δ, f, (g+f)/2)  if δ ≤ 0 and g is odd
//	(1+δ, f, g/2)      if g is even
//
// Started from (1/2, m, x), division steps reach g = 0 and f = ±gcd(m, x). For moduli below 2^256
// and 0 ≤ x < m this takes at most 590 steps. Pieter Wuille computed this bound from the convex
// hull of all reachable (f, g) (github.com/sipa/safegcd-bounds). TestHullSteps computes it again by
// his method. So after 590 steps no test for g = 0 is necessary, and the constant-time inverse
// makes none.
//
// A step depends only on the low bits of f and g. So the low n bits determine n steps, as an
// integer matrix (u v; q r) with
//
//	2^n·(f', g') = (u·f + v·g, q·f + r·g),   |u|+|v| ≤ 2^n,  |q|+|r| ≤ 2^n
//
// Applying such a matrix to the long numbers once is a batch. The same matrices, applied modulo m
// to (d, e), which start as (0, 1), keep d·x ≡ f and e·x ≡ g up to a power of two that is known
// beforehand. At the end ±d, divided by that power, is 1/x.
//
// # Differences from other implementations
//
// The latency of steps limits the speed, so a step should use few words. The function steps uses
// two words: each holds twenty bits of f (or g) and both entries of its matrix row, in disjoint
// fields that one subtraction and one shift process together. Three such blocks of twenty steps
// make a batch of 60 steps, and their small matrices are multiplied.
//
// The long numbers are saturated: four 64-bit limbs and a sign, not five limbs of 62 bits. A batch
// divides (f, g) exactly by 2^60. It divides (d, e) by 2^64, which is a whole limb, by one step of
// Montgomery's reduction. The difference of four bits per batch keeps (d, e) bounded without
// corrections in between, and finish corrects the power of two at the end.
//
// # Public data
//
// The variable-time inverse needs fewer and shorter steps: see vartime.go.
//
// # Proofs
//
// Tests prove for all inputs that the matrices are right. TestBlocks makes every choice that a
// block of twenty division steps can make. TestRun and TestHalve try every case of an iteration of
// the variable-time loops, with right and wrong comparisons. TestInverseBounds follows the ranges
// of the other numbers, and TestHullSteps derives the number of steps. It is not proven that the
// variable-time algorithms end within maxRuns runs. If they do not, InvertVartime makes division
// steps, and JacobiVartime reports that it has no result.
//
// # Time
//
// Invert has no branch, index or instruction whose time depends on its input. The time of
// InvertVartime reveals the number of its runs, six for nearly every input, and more about the
// input. It is for public data only.
package divsteps

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package divsteps -dir ../internal/divsteps
