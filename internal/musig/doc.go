// Package musig implements the steps of MuSig2 (BIP-327) on numbers and points whose ranges have
// been checked. Package musig2 and the replacement for btcec's package of that name have encodings,
// types and errors of their own.
//
// Names are those of the BIP. In this package, a point.Affine with the coordinates (0, 0), which is
// not on the curve, stands for infinity. The time of signing and of nonce generation does not
// depend on secrets. The time of all else depends on its arguments, which are public.
//
//ci:untested The tests of packages musig2 call all of it.
package musig
