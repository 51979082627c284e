// Package group implements the group of the elliptic curve secp256k1, for
// protocols built on it: numbers modulo its order n, and points.
//
// A [Scalar] is a number modulo n. A [Point] is a point of the curve or the
// identity, the point at infinity. The zero values are 0 and the identity.
// Methods set their receiver to the result and return it; the receiver may be one
// of the arguments. A Point of this package is always on the curve, and the
// group's order is prime, so there is no cofactor. As in math/big, computing with
// a nil pointer panics.
//
// # Time
//
// Scalars and points may be secret. The time and the memory accesses of a function
// do not depend on them, unless its name ends in Vartime; anyone who can measure
// time may learn the arguments of such functions. If a function returns a bool or
// an error about a value, only this answer becomes public. Parsing the encoding
// of a point takes time that depends on it.
//
// Package msm computes sums of many products of public points and scalars.
//
// # Encodings
//
// A scalar is 32 bytes, big-endian. A point is 33 bytes: 0x02 or 0x03 for an even
// or odd y coordinate, and the x coordinate (SEC 1 version 2, section 2.3.3).
// SEC 1 encodes the identity as one zero byte. Here it is 33 zero bytes, as in
// BIP-327 (cbytes_ext), so that all points have the same length. Every value has
// one encoding, and parsers accept no other bytes.
package group
