// Package engine verifies, recovers and decompresses many rows at a time, for package
// batch. It takes no secrets.
//
// These words mean the same throughout:
//
//	row       one signature, or one key
//	block     consecutive rows that one worker takes at a time, as in package crew
//	equation  one linear combination of many rows, which holds if all are valid
//	costly    of a row: its verdict takes arithmetic, because parsing has not settled it
//
// Rows are parsed once, into [Rows], a struct of arrays: by columns of a call, by an
// accumulator when it is added to, or by the callers of a queue. What follows works on
// windows of those arrays. Rows are copied only where some of them are left out.
//
// Without an equation, a worker takes a block in these steps, each for all rows of the
// block before the next one ([Job.Run]):
//
//	hash      missing challenges of BIP-340
//	lift      y coordinates of the keys (of the nonce points, in recovery)
//	divide    by s (by r, in recovery), with one inversion for all
//	multiply  a·G + b·P
//	judge     compare with the signature, or bring to affine coordinates
//
// Lifting, dividing, multiplying and bringing to affine coordinates are primitives that
// a level of CPU features implements (see [primitives]); everything else is written once.
// Every CPU has the portable level, which takes one row after another. With AVX-512 IFMA
// there are lanes, which take eight rows at a time. Both are exact on every row, and so a
// verdict depends neither on the level nor on the other rows of the block.
//
// For how many rows an equation is tried, and what happens if it does not hold, is
// decided in equation_plan.go. choice.go decides about levels, blocks and workers.
package engine
