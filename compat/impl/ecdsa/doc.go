// Package ecdsa has the types and functions of
// github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa, computed by koblitz: ECDSA signatures
// (SEC 1 version 2, section 4.1) with the nonces of RFC 6979.
//
// It is not for direct use, as package secp256k1 beside it says. Differences from what it
// stands in for:
//
//   - Signing takes a time that does not depend on the key or the nonce.
//   - No signature verifies under a key that is not a point of the curve, such as the zero
//     value. There everyone can make signatures that verify under the zero value.
//   - Signing a hash that is 0 modulo n with the key 0 returns the zero value of a signature.
//     There the call never returns.
package ecdsa
