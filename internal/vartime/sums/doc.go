// Package sums adds up many products of scalars and points, all of them public. A [Sum]
// does so by tables, in Straus' way, or by buckets, in Pippenger's; which of both is
// cheaper is looked up in package profile. [Bases] is for points that are added up
// again and again. docs/msm.md describes the algorithms.
//
// All of it takes a time that depends on its inputs, and is exact on every input: points
// that meet themselves, their opposites or infinity on the way are added by the right
// formula.
package sums

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package sums -dir ../internal/vartime/sums
