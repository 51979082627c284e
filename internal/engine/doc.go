// Package engine verifies, recovers and decompresses many rows at a time. It is
// what package batch stands on; it takes no secrets.
//
// The rows of a call are cut into blocks. A worker takes a block, parses its
// rows into a [Job], a struct of arrays, and runs the job: a few steps, each of
// them over all rows before the next one begins.
//
//	lift      y coordinates of the keys (of the nonce points, in recovery)
//	divide    by s (by r, in recovery), with one inversion for all
//	multiply  a·G + b·P
//	judge     compare with the signature, or bring to affine coordinates
//
// Lifting, dividing, multiplying and bringing to affine coordinates are the
// primitives that differ between engines (see [primitives]); everything else is
// written once. There is an engine for every CPU, which goes row by row, and one
// that takes eight rows at a time in the lanes of AVX-512 IFMA. Both are exact on
// every row, and so a verdict depends neither on the engine nor on the rows that
// were in the same block.
//
// Which engine a job is given, how long blocks are and how many workers there
// are is decided in choice.go.
package engine
