// Package schnorr implements the types and functions of github.com/btcsuite/btcd/btcec/v2/schnorr,
// version 2.5.1, with the arithmetic of koblitz: BIP-340 signatures of 32-byte messages, with
// nonces of RFC 6979 unless auxiliary data are given.
//
// It is not for direct use: see package btcec. Differences from the replaced package:
//
//   - The running time of signing does not depend on the key, the nonce or the auxiliary data.
//   - If a new signature does not verify, [Sign] returns an error. The replaced package tries other
//     nonces, without an end if the fault remains.
package schnorr
