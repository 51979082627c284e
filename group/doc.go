// Package group provides the numbers modulo n and the points of the elliptic curve secp256k1, for
// protocols. n is the order of the group.
//
// A [Scalar] is a number modulo n. A [Point] is a point of the curve or the identity, the point at
// infinity. The zero values are 0 and the identity. Methods set their receiver to the result and
// return it; receiver and arguments may be the same. A Point is always on the curve, and the group
// has prime order, so there is no cofactor. As in math/big, methods panic if a pointer is nil.
//
// # Time
//
// Scalars and points may be secret. The time of a function and the memory addresses that it reads
// do not depend on them, unless its name ends in Vartime: an attacker who can measure the time of
// such a function may learn its arguments. If a function returns a bool or an error about a value,
// that answer becomes public, and nothing else does. The time to decode a point depends on its
// encoding.
//
// Package msm computes sums of many products of public points and scalars.
//
// # Encodings
//
// A scalar is encoded as 32 bytes, big-endian. A point is encoded as 33 bytes: 0x02 or 0x03 for an
// even or odd y coordinate, and the x coordinate (SEC 1 version 2, section 2.3.3). SEC 1 encodes
// the identity as one zero byte. This package encodes the identity as 33 zero bytes, as BIP-327
// does (cbytes_ext), so that all encodings have one length. Every value has exactly one encoding,
// and other bytes give an error.
package group
