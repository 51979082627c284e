// Package schnorr replaces github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr: signatures of
// Decred's EC-Schnorr-DCRv0, which are not those of BIP-340.
//
// A signature of a message m of 32 bytes by the key d is a pair (r, s). The nonce k is that of RFC
// 6979 with extra data for this scheme, negated if k·G has an odd y. r is the x coordinate of k·G,
// and s = k − e·d mod n, where e is the BLAKE-256 of r and m. The signature verifies under the key
// Q = d·G if s·G + e·Q has an even y and the x coordinate r. If e is not below n, signing tries the
// next nonce, and verification fails.
package schnorr
