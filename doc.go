// Package koblitz holds the keys of the elliptic curve secp256k1 (SEC 2,
// section 2.4.1): y² = x³ + 7 over the field of p = 2²⁵⁶ - 2³² - 977 elements,
// a group of prime order n.
//
// Each use of a key has its own package:
//
//	koblitz          keys: generate, parse, serialize, compare, negate, tweak, prepare
//	koblitz/ecdsa    ECDSA: sign, verify, recover the key; DER and 64 bytes
//	koblitz/schnorr  BIP-340 signatures, for messages of any length
//	koblitz/ecdh     key agreement
//	koblitz/batch    many signatures at a time, and a queue for those who have one
//	koblitz/group    scalars and points, for protocols
//	koblitz/msm      sums of many products of public scalars and points
//	koblitz/hashes   SHA-256 and Keccak-256 of many public messages at a time
//	koblitz/device   accelerators for batch and msm; experimental
//
// # Keys
//
// There are three types. A PrivateKey is a number in [1, n). A PublicKey is a
// point of the curve, 33 or 65 bytes in the encoding of SEC 1. An
// XOnlyPublicKey is an x coordinate, 32 bytes, as in BIP-340: it represents the
// point with that x coordinate and an even y coordinate.
//
// A PreparedKey is a public key with a table that makes verification twice as
// fast, for keys that sign often.
//
// A key is checked once, when it is made: a *PublicKey from this package is a
// point of the curve, and operations do not check it again. Keys do not change,
// and any number of goroutines may use them. The exceptions are the Unmarshal
// methods and assigning one key to another, which must not run at the same time
// as other uses of the key. PrivateKey.Zeroize may.
//
// The zero value of a key type holds no key. It never verifies or makes a
// signature, its encodings are empty, and it equals nothing, not even another
// zero value. The same holds for a nil pointer, except for methods that have a
// value receiver or set the key. In every package, functions that need a key
// return ErrZeroKey for a key that is nil, zero or zeroized.
//
// Every encoding is big-endian and of fixed length. Parsers accept exactly the
// encodings of the named specification. Their errors say what is wrong, and in
// which bytes.
//
// # Secrets
//
// If an operation takes a private key, neither its time nor its memory accesses
// depend on the key, on nonces, or on values derived from them, unless the value
// becomes public. The time of operations on public keys and signatures depends on
// their inputs; their documentation says so.
//
// fmt, log/slog and encoders never show a private key, with any verb and however it
// is nested; encoding one is an error. The same holds for a group.Scalar and for the
// SignOptions of packages ecdsa and schnorr if the printer calls their methods; their
// documentation says when fmt does not.
//
// Zeroize overwrites a private key. Every operation overwrites the copies of keys,
// nonces and their halves that it left on the stack and in registers. Callers must
// overwrite their own copies, such as results of Bytes. docs/constant-time.md says
// how this is tested and which copies it cannot reach.
package koblitz
