// Package sums adds up many products of scalars and points, all of them public. A [Sum] uses tables
// (Straus) or buckets (Pippenger); package profile holds the number of terms from which buckets are
// faster. A [Bases] is for points that occur in many sums.
//
// docs/msm.md describes the algorithms and names their sources. In these files,
//
//   - a term is a product k·P, and a half scalar one of the two parts that the endomorphism
//     cuts k into;
//   - a row is the memory of one affine point, and a ref is the address of a row, with a sign;
//   - a window is a range of bits of the half scalars, and a digit is the number that a half
//     scalar has in a window;
//   - a set is the buckets for the digits of one window, or of several windows in a Bases;
//   - a position is the exponent of a power of 2 by which a point is multiplied at the end;
//   - a unit is the work that one worker takes at a time;
//   - a worker is one goroutine with its buckets, and a batch is the pairs of points that it
//     adds with one inversion;
//   - a group is eight terms or pairs, one in each lane.
//
// The time depends on all inputs. Results are exact for every input: if a sum meets an equal or
// opposite addend or infinity on the way, the right formula is used.
package sums

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package sums -dir ../internal/vartime/sums
