// Package sswu hashes messages to points of the curve: the suites secp256k1_XMD:SHA-256_SSWU_RO_
// and secp256k1_XMD:SHA-256_SSWU_NU_ of RFC 9380, section 8.7.
//
// A message is hashed to one or two numbers modulo p. The simplified SWU map takes each number to a
// point of the curve E', y² = x³ + A·x + B. The sum of the two points is mapped to secp256k1 by an
// isogeny of degree 3. An isogeny is a homomorphism, so one isogeny after the addition replaces two
// before it. E' has as many points as secp256k1. This number is prime, so no point other than the
// identity is in the kernel of the isogeny, and none has order 2.
//
// No function takes time that depends on a message; it depends on lengths only. Functions leave
// secrets on the stack, so callers with secret messages run them under package secret.
package sswu
