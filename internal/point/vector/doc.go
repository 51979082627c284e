// Package vector computes one point operation at a time, with independent products of its formula
// in the lanes of one vector.
//
// The formulas of the kernels are the complete ones of Renes, Costello and Batina ("Complete
// addition formulas for prime order elliptic curves", ePrint 2015/1060) for curves y² = x³ + b.
// They are correct for all points, including infinity and equal or opposite points. Each is
// arranged in two rounds of products that do not depend on each other: four and four for a
// doubling, six and six for the addition of an affine point, eight and six for the addition of any
// point. A round takes little longer than one multiplication, so a doubling takes less than two
// thirds, and a complete addition less than half, of the time that the formulas in general
// registers take. With AVX-IFMA, whose registers have four lanes, each round of an addition
// multiplies twice.
//
// Package lanes, in contrast, computes eight independent operations at a time.
package vector

//go:generate env -C ../../../_asm GOWORK=off go run ./cmd/generate -package vector -dir ../internal/point/vector
