// Package ellswift has the types and functions of github.com/btcsuite/btcd/btcec/v2/ellswift,
// version 2.5.1, computed by koblitz: public keys as pairs of field elements (u, t) that look
// random, and the shared secrets of BIP-324.
//
// It is not for direct use, as package btcec above it says. Multiplications by private keys take
// a time that does not depend on them, where theirs do.
package ellswift
