// Package ellswift implements the types and functions of
// github.com/btcsuite/btcd/btcec/v2/ellswift, version 2.5.1, with the arithmetic of koblitz:
// encodings of public keys as pairs of field elements (u, t) that look random, and the shared
// secrets of BIP-324.
//
// It is not for direct use: see package btcec. Unlike in the replaced package, the time of
// multiplications by private keys does not depend on them.
package ellswift
