// Package lanewise computes the steps of verification for many rows at a time: square roots,
// divisions, a·G + b·P, and affine coordinates. [Lanes] processes eight rows at a time in the lanes
// of vector registers (package lanes). The rows of a block share inversions.
//
// The package uses these words:
//
//	block  at most [LaneRows] rows, which share inversions
//	group  at most eight rows of a block, one in each lane
//
// All functions are exact for every input: if the formulas of the lanes meet an exceptional case in
// a row, that row is computed again. Inputs must be public: the time depends on them.
package lanewise

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package lanewise -dir ../internal/vartime/lanewise
