// Package group is the group of the elliptic curve secp256k1, for those who
// build protocols on it: numbers modulo its order n and points.
//
// A [Scalar] is a number modulo n, a [Point] a point of the curve or the
// identity, the point at infinity. The zero values are 0 and the identity.
// Methods set their receiver to the result and return it; receiver and
// arguments may be the same. A Point of this package is always a point of the
// curve: the group's order is prime, and there is no cofactor to think of. As in
// math/big, a nil pointer is no value: to calculate with one panics.
//
// # Time
//
// Scalars and points may be secret. Every function takes a time, and touches
// memory, that does not depend on them, unless its name ends in Vartime; what
// those are given may be learned by anyone who can measure them. Where a
// function returns a bool or an error about a value, that answer becomes public
// and nothing else does. Reading the encoding of a point takes a time that
// depends on it.
//
// Sums of many products of public points and scalars are in package msm.
//
// # Encodings
//
// A scalar is 32 bytes, big-endian. A point is 33 bytes: 0x02 or 0x03 for an even
// or odd y coordinate, and the x coordinate (SEC 1 version 2, section 2.3.3).
// SEC 1 has one zero byte for the identity; here it is 33 of them, as in BIP-327
// (cbytes_ext), so that all points have one length. Every value has one encoding,
// and no other bytes are read.
package group
