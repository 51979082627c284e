// Package schnorr has the types and functions of github.com/btcsuite/btcd/btcec/v2/schnorr,
// version 2.5.1, computed by koblitz: signatures of BIP-340, of messages of 32 bytes, with
// nonces of RFC 6979 unless auxiliary data are given.
//
// It is not for direct use, as package btcec above it says. Signing takes a time that does not
// depend on the key, the nonce or the auxiliary data, where theirs does.
package schnorr
