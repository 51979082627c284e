// Package koblitz holds the keys of the elliptic curve secp256k1 (SEC 2, section 2.4.1):
// y² = x³ + 7 over the field of p = 2²⁵⁶ - 2³² - 977 elements, a group of prime order n.
//
// Operations on keys are in packages of their own:
//
//	koblitz            keys: generate, parse, serialize, compare, negate, tweak, prepare
//	koblitz/ecdsa      ECDSA: sign, verify, recover the key; DER and 64 bytes
//	koblitz/schnorr    BIP-340 signatures, for messages of any length
//	koblitz/ecdh       key agreement
//	koblitz/ellswift   keys as random bytes, and secrets from them (BIP-324)
//	koblitz/dleq       proofs that two discrete logarithms are equal (BIP-374)
//	koblitz/pkix       keys in DER and PEM, as openssl reads and writes them
//	koblitz/musig2     MuSig2 (BIP-327): one BIP-340 signature by several signers
//	koblitz/silentpay  silent payments (BIP-352): addresses, sending, scanning, spending
//	koblitz/batch      many signatures at a time, a queue for goroutines with one each, many hashes
//	koblitz/group      scalars and points, for protocols; hashes to both (RFC 9380)
//	koblitz/msm        sums of many products of public scalars and points
//	koblitz/device     accelerators for batch and msm; experimental
//
// # Keys
//
// There are three types. A PrivateKey is a number in [1, n). A PublicKey is a point of the curve,
// 33 or 65 bytes in the encoding of SEC 1. An XOnlyPublicKey is encoded as an x coordinate of 32
// bytes (BIP-340), and represents the point with that x coordinate and an even y coordinate.
//
// A PreparedKey is a public key with a table that makes verification twice as
// fast, for keys that sign often.
//
// A key is checked once, when it is parsed or computed: every *PublicKey of this package is a point
// of the curve, and operations do not check it again. Keys do not change, so any number of
// goroutines may use them at the same time. Only Unmarshal methods and assignments change a
// variable that holds a key; no other goroutine may use it meanwhile. PrivateKey.Zeroize may be
// called at any time.
//
// The zero value of a key type is no key. It never verifies a signature and never makes one, its
// encodings are empty, and it equals nothing, not even another zero value. The same holds for a nil
// pointer, except that methods with a value receiver, and Unmarshal methods, panic on it. In every
// package, functions that need a key return ErrZeroKey for a key that is nil, zero or zeroized.
//
// All encodings are big-endian. Parsers accept exactly the encodings of the named specification.
// Otherwise they return an error that names the fault and its bytes.
//
// Arguments that are slices of bytes may share memory that changes during a call, such as a mapped
// file. A function then sees one content of it, or returns an error: it never hashes other bytes
// than it parsed or signed. But the memory may hold another content afterwards.
//
// # Secrets
//
// The time of an operation with a private key, and the addresses that it reads, do not depend on
// the key, on nonces or on other values that stay secret. The time of operations on public keys and
// signatures depends on their arguments, and their documentation says so.
//
// fmt and log/slog never print a private key, with any verb and at any depth of nesting, and
// encoders get an error. The same holds for a group.Scalar, for the SignOptions of packages ecdsa
// and schnorr and for the Options of package dleq, but only if the printer calls their methods:
// their documentation says when fmt does not.
//
// Zeroize overwrites a private key. Every operation overwrites its copies of keys and nonces on the
// stack and in registers. Copies that a caller makes, as by Bytes, are for the caller to overwrite.
// docs/constant-time.md describes how that is tested, and its limits.
package koblitz
