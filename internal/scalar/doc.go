// Package scalar is arithmetic modulo n, the order of the secp256k1 group:
//
//	n = 2^256 - d,  d = 0x14551231950b75fc4402da1732fc9bebf (129 bits)
//
// A Scalar is always canonical, in [0, n): every method takes and leaves such
// values, so that encoding and comparing cost nothing. Products are reduced by
// folding what stands above 2^256 down, multiplied by d; the bounds that make two
// folds and one correction enough stand beside the code (mul.go).
//
// Split writes a scalar as k1 + k2·λ with halves below 2^128, which is what the
// curve's endomorphism is good for; docs/endomorphism.md has the mathematics, and
// glv.go the bound.
//
// All functions take a time that does not depend on their values, except those
// whose names end in Vartime. Choices that they return (IsZero, IsHigh, …) may be
// secret: whoever branches on one makes it public.
package scalar

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package scalar -dir ../internal/scalar
