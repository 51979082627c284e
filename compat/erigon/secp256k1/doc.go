// Package secp256k1 replaces github.com/erigontech/secp256k1, with which Erigon calls the C library
// libsecp256k1 by cgo. It has the same names, uses the arithmetic of
// github.com/koblitz-go/koblitz, and needs no C compiler. A line in the go.mod of a program's main
// module makes every package in the build use it:
//
//	replace github.com/erigontech/secp256k1 =>
//		github.com/koblitz-go/koblitz/compat/erigon/secp256k1 v1.2.0
//
// (in one line). No version is published yet: until then the right side is the path of
// compat/erigon/secp256k1 in a checkout, and a second line replaces koblitz.
//
// Names, results, errors and the values of panics are those of version 1.2.0 with cgo. Differences:
//
//   - [BitCurve.ScalarMult] of a point that is not on the curve returns a pseudorandom point, which
//     HMAC-SHA-256 derives from the scalar and the point. In the replaced module it returns a
//     multiple on another curve, which reveals bits of the scalar.
//   - A [Context] has no state. [ContextForThread] accepts every number, and
//     [RecoverPubkeyWithContext] accepts nil; the replaced module panics.
//
// Two functions panic, as in the replaced module, because they cannot return an error:
// [BitCurve.ScalarMult] for more than 32 bytes of scalar, and [CompressPubkey] for coordinates that
// are not those of a point.
//
// The running time of [Sign], and of multiplications by a scalar, does not depend on the secret,
// except for the conversion of the product to big.Int. Other functions take public data.
// docs/port.md in the repository of koblitz describes the packages that new programs should use.
package secp256k1
