// Package lanes computes with eight independent values at a time, one per lane: with elements of
// the field modulo p, with points of the curve, and with scalars modulo n. With the AVX-512 IFMA
// instructions a multiplication of eight values costs little more than a multiplication of one.
// Other kernels are for CPUs with AVX-512, AVX-IFMA, or AVX2 and FMA. On all other CPUs, portable
// code computes the same results, slowly. It is the oracle of the kernels, and lets callers be
// tested everywhere.
//
// An [Element] is five vectors of eight 52-bit limbs. Two words describe the range of its lanes;
// docs/field-bounds.md has proofs:
//
//   - reduced: limbs 0 to 3 below 2^52, limb 4 below 2^49, so the value is below
//     2^257. Every exported function takes and returns reduced elements, unless
//     it says otherwise;
//   - canonical: reduced, and the value is below p.
//
// The additions of points are incomplete and absorbing: an exceptional case gives Z ≡ 0, and so
// does every later computation with its result. So one test of Z at the end is enough.
// docs/lanes.md describes layout, techniques and measurements.
//
// No function takes time that depends on its values; masks select results. Algorithms in lanes with
// data-dependent time are in package vartime.
package lanes

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package lanes -dir ../internal/lanes
