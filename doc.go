// Package koblitz holds the keys of the elliptic curve secp256k1 (SEC 2,
// section 2.4.1): y² = x³ + 7 over the field of p = 2²⁵⁶ - 2³² - 977 elements,
// a group of prime order n.
//
// What is done with a key lives in a package of its own:
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
// XOnlyPublicKey is the x coordinate alone, 32 bytes, as BIP-340 has it: it
// stands for the point with that x coordinate and an even y coordinate.
//
// A PreparedKey is a public key with a table that makes verification twice as
// fast, for keys that sign often.
//
// A key is checked once, where it is made: a *PublicKey that came from this
// package is a point of the curve, and operations do not check it again. Keys
// do not change, and may be used from any number of goroutines. The exceptions
// are the Unmarshal methods and the assignment of one key to another, which
// need the usual care, and PrivateKey.Zeroize, which needs none.
//
// The zero value of a key type is no key. It never verifies a signature and
// never makes one, its encodings are empty, and it equals nothing, not even
// another zero value. The same holds for a nil pointer, save where a method
// has a value receiver or sets the key. Functions that need a key return
// ErrZeroKey for one that is nil, zero or zeroized, in every package.
//
// Every encoding is big-endian, and has one length. Parsers accept exactly
// what the named specification says and return an error that says what is
// wrong and in which bytes.
//
// # Secrets
//
// Where an operation takes a private key, neither its time nor the addresses
// it touches depend on the key, on nonces or on anything derived from them
// that does not become public. Operations on public keys and signatures take a
// time that depends on their inputs, and say so.
//
// A private key is not shown by fmt, log/slog or any encoder, whatever the verb
// and wherever it is nested, and to encode one is an error. The same holds for
// a group.Scalar and for the SignOptions of packages ecdsa and schnorr, where a
// printer calls their methods: their documentation says where fmt does not.
//
// Zeroize overwrites a private key, and every operation overwrites what it left of
// keys, nonces and their halves on the stack and in registers. What the caller
// copies, as from Bytes, is the caller's to overwrite. docs/constant-time.md says
// how that is tested and what it cannot reach.
package koblitz
