// Package ecdsa implements the types and functions of
// github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa, with the arithmetic of koblitz: ECDSA signatures
// (SEC 1 version 2, section 4.1) with nonces of RFC 6979.
//
// It is not for direct use: see package compat/impl/secp256k1. Differences from the replaced
// package:
//
//   - The running time of signing does not depend on the key or the nonce.
//   - No signature verifies under a key that is not a point of the curve, such as the zero
//     value. In the replaced package, anyone can make signatures that verify under the zero value.
//   - Signing a hash that is 0 modulo n with the key 0 returns the zero value of a signature.
//     In the replaced package, the call never returns.
package ecdsa
