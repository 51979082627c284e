// Package schnorr replaces github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr: signatures of
// Decred's EC-Schnorr-DCRv0, which are not those of BIP-340.
//
// A signature of a message m of 32 bytes by the key d is a pair (r, s). With the nonce k of
// RFC 6979, with extra data of its own, negated if k·G has an odd y, r is the x coordinate of
// k·G, and s = k − e·d mod n, where e is BLAKE-256 of r and m. It verifies under the key
// Q = d·G if s·G + e·Q has an even y and the x coordinate r. An e that is not below n makes
// the next nonce be taken, and verifies nothing.
package schnorr
