// Package sums adds up many products of scalars and points, all of them public. A [Sum] does
// so by tables (Straus) or by buckets (Pippenger); package profile says from how many terms on
// which is cheaper. A [Bases] is for points that are added up again and again.
//
// docs/msm.md describes the algorithms and names their sources. In these files,
//
//   - a term is a product k·P, and a half scalar one of the two parts that the endomorphism
//     cuts k into;
//   - a row is the memory of one affine point, and a ref is its address, with a sign;
//   - a window is a range of bits of the half scalars, and a digit is what one has there;
//   - a set is the buckets for the digits of one window, or of several in a Bases;
//   - a position is an exponent of 2 that a point is multiplied by at the end;
//   - a unit is the work that one worker takes at a time;
//   - a worker is one goroutine with its buckets, and a batch is the pairs of points that it
//     adds with one inversion;
//   - a group is eight terms or pairs, one in each lane.
//
// Time depends on all inputs. Results are exact for every input: points that meet themselves,
// their opposites or infinity on the way are added by the right formula.
package sums

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package sums -dir ../internal/vartime/sums
