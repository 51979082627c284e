// Package schnorr implements the types and functions of github.com/btcsuite/btcd/btcec/v2/schnorr,
// version 2.5.1, with the arithmetic of koblitz: BIP-340 signatures of 32-byte messages, with
// nonces of RFC 6979 unless auxiliary data are given.
//
// It is not for direct use: see package btcec. Unlike in the replaced package, the running time of
// signing does not depend on the key, the nonce or the auxiliary data.
package schnorr
