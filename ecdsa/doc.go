// Package ecdsa signs and verifies with ECDSA over secp256k1 (SEC 1 version 2,
// section 4.1), as Bitcoin and Ethereum use it, and recovers public keys from
// signatures.
//
// Signatures are of a hash of the message, which the caller computes: SHA-256
// twice for Bitcoin, Keccak-256 for Ethereum.
//
// # Lengths of hashes
//
// A hash is taken by the rule of SEC 1, section 4.1.3: as the number that its
// leftmost 256 bits are, or all of it if it is shorter. So a signature for a short
// hash is one for every message that has that hash. If hashes have b bits, one message
// in 2^b has it by chance, and an attacker who tries 2^(b/2) messages finds two that
// share one. The empty hash, a slice that was never filled, is the number zero, and for
// zero everyone can make signatures under any key.
//
// Hashes shorter than 20 bytes are therefore refused: functions that sign or recover
// return an error, and those that verify return false. 20 bytes is the length of
// SHA-1, the shortest hash that ECDSA has been used with. A hash of 32 zero bytes is
// the number zero as well, and is not refused: be sure to pass a hash.
//
// # Signing
//
// Nonces are those of RFC 6979 with HMAC-SHA-256, whatever hash the message was
// hashed with, so that a signature depends on the key and the hash alone;
// SignOptions.Entropy mixes in more. The s of a signature is always the lower one of
// the two that would do, at most n/2 (BIP-62, BIP-146).
//
// The time of signing does not depend on the key, the nonce or the entropy. It
// depends on the lengths of the hash and the entropy.
//
// A fault in the middle of a deterministic signature, a flipped bit, can give
// away the key to everyone who sees the faulty signature beside a good one. So
// functions that sign verify the signature before they return it, unless
// SignOptions.Unchecked is set. A recoverable signature is verified with its
// recovery id: Recover finds the key's public key.
//
// [NewSigner] makes a key a crypto.Signer.
//
// # Verifying
//
// Verify is the standard's, and takes a high s as well as a low one. VerifyLowS
// takes the low one only: of two signatures that differ in nothing but s and
// n - s it accepts one, so that a signature cannot be turned into another.
//
// VerifyPrepared and VerifyPreparedLowS are the same for keys that sign often:
// see [koblitz.PublicKey.Prepare].
//
// # Encodings
//
// A Signature is parsed from 64 bytes, r and s in big-endian order, by
// ParseSignature, and from DER by ParseDER, which accepts the encodings that BIP-66
// allows. ParseDERLax also accepts those in blocks from before BIP-66. The 65
// bytes of SignRecoverable and Recover are r, s and the recovery id. Ethereum
// and Bitcoin's signed messages put that byte elsewhere, or add a number to it.
package ecdsa
