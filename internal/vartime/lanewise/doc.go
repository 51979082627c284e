// Package lanewise computes the steps of verification for many rows at a time: square roots,
// divisions, a·G + b·P, and affine coordinates. [Lanes] processes eight rows at a time in the lanes
// of vector registers (package lanes): a group, with one row in each lane. The groups of a call
// share inversions.
//
// All functions are exact for every input: a row in which the formulas of the lanes meet an
// exceptional case is computed again. Inputs must be public: the time depends on them.
package lanewise

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package lanewise -dir ../internal/vartime/lanewise
