// Package blocks does the steps of verification for many rows at a time: square roots,
// divisions, a·G + b·P, affine coordinates. [Lanes] takes eight rows at a time in the
// lanes of vector registers (package lanes), and shares inversions among the rows of a
// block.
//
// These words mean the same throughout:
//
//	block  at most [LaneRows] rows, which share inversions
//	group  at most eight rows of a block, one in each lane
//
// All of it takes a time that depends on its inputs, which are public, and is exact on
// every input: rows in which the formulas of the lanes meet an exception are done again
// by package vartime.
package blocks

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package blocks -dir ../internal/vartime/blocks
