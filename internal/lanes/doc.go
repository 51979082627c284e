// Package lanes is arithmetic on eight independent values at a time: the field
// modulo p, points of the curve, and scalars modulo n, one value a lane. With the
// AVX-512 IFMA instructions one multiplication of eight costs little more than
// one of a single value does, so that eight computations in lockstep cost a
// fraction of what they cost one after another. On any other CPU a portable twin
// computes the same, slowly: it is the oracle of the kernels and lets the code
// above them run and be tested everywhere.
//
// An [Element] is five vectors of eight 52-bit limbs. Two words say what range its
// lanes are in; docs/field-bounds.md has them and the proofs:
//
//   - reduced: limbs 0 to 3 below 2^52, limb 4 below 2^49, so that the value is
//     below 2^257. Every exported function takes and gives reduced elements,
//     unless it says otherwise;
//   - canonical: reduced, and the value is below p.
//
// The additions of points are incomplete and absorbing: an exceptional case comes
// out with Z ≡ 0, and so does everything computed from it, so that one look at Z
// at the end tells. docs/lanes.md tells the rest: layout, techniques, figures.
//
// Nothing here takes a time that depends on its values; masks select. Lane
// algorithms that may depend on their data live in package vartime.
package lanes

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package lanes -dir ../internal/lanes
