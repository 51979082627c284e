// Package divsteps inverts modulo a prime close to 2^256: in constant time by
// division steps, the relative of Euclid's algorithm of Bernstein and Yang ("Fast
// constant-time gcd computation and modular inversion", ePrint 2019/266), in
// the variant that starts from δ = 1/2; for public data by a binary algorithm of
// Euclid.
//
// # The algorithm
//
// A division step maps (δ, f, g), f odd, to
//
//	(1-δ, g, (g-f)/2)  if δ > 0 and g is odd
//	(1+δ, f, (g+f)/2)  if δ ≤ 0 and g is odd
//	(1+δ, f, g/2)      if g is even
//
// Started from (1/2, m, x) it reaches g = 0 and f = ±gcd(m, x). For moduli below
// 2^256 and 0 ≤ x < m this takes at most 590 steps: a computed bound, by the
// convex hull of all reachable (f, g), published by Pieter Wuille with the
// program that finds it (github.com/sipa/safegcd-bounds) and not derived again
// here. 590 steps therefore need no test for g = 0, and the constant-time
// inverse makes none.
//
// A step depends on f and g through their low bits only, so n steps can be
// found from the low n bits, as an integer matrix (u v; q r) with
//
//	2^n·(f', g') = (u·f + v·g, q·f + r·g),   |u|+|v| ≤ 2^n,  |q|+|r| ≤ 2^n
//
// which is then applied to the long numbers at once: a batch. The same matrices,
// applied modulo m to (d, e), keep d·x ≡ f and e·x ≡ g up to a power of two that
// is known beforehand, and at the end ±d, freed from that power, is 1/x.
//
// # What is done differently here
//
// Steps are latency bound, so what counts is the number of words that a step
// has to touch. steps works on two: each holds twenty bits of f (or g) together
// with both entries of its matrix row, in disjoint fields that one subtraction
// and one shift serve at once. Three such blocks make a batch of 60
// steps, and the three small matrices are multiplied together.
//
// The long numbers are saturated: four 64-bit limbs and a sign, not five of 62
// bits. A batch divides (f, g) by 2^60, exactly, but (d, e) by 2^64,
// which is a whole limb, by one step of Montgomery's reduction. The four bits by
// which the two differ pay for a bound on (d, e) that needs no
// correction on the way, and are settled once at the end (see finish).
//
// # Public data
//
// The inverse in variable time needs fewer and shorter steps: see vartime.go.
//
// # Time
//
// Invert has no branch, index or instruction whose time depends on its input.
// InvertVartime leaks how many runs its input takes, six for nearly every one,
// and more, and is for public data only.
package divsteps

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package divsteps -dir ../internal/divsteps
