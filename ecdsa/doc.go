// Package ecdsa signs and verifies with ECDSA over secp256k1 (SEC 1 version 2, section 4.1), as
// Bitcoin and Ethereum use it, and recovers public keys from signatures.
//
// A signature is made of a hash of the message. The caller computes the hash: with SHA-256 twice
// for Bitcoin, and with Keccak-256 for Ethereum.
//
// # Lengths of hashes
//
// By SEC 1, section 4.1.3, a hash is read as the number in its first 256 bits, or in all of its
// bits if it is shorter. A signature is valid for every message with the same number. If hashes
// have b bits, one message in 2^b has a given hash by chance, and an attacker who tries 2^(b/2)
// messages finds two with the same hash. An empty hash, such as a slice that was never filled,
// is read as zero, and anyone can make signatures on zero under any key.
//
// Therefore functions that sign or recover return an error for a hash of less than 20 bytes, and
// functions that verify return false. 20 bytes is the length of SHA-1, the shortest hash that ECDSA
// has been used with. 32 zero bytes are also read as zero and are accepted: be sure to pass a hash.
//
// # Signing
//
// Nonces are derived by RFC 6979 with HMAC-SHA-256, so that a signature depends on the key and the
// hash alone. SignOptions.Entropy adds data to the derivation. The s of a signature is always the
// lower of s and n - s, at most n/2 (BIP-62, BIP-146).
//
// The time of signing does not depend on the key, the nonce or the entropy. It
// depends on the lengths of the hash and the entropy.
//
// A fault during deterministic signing, such as a flipped bit, can give away the key to everyone
// who sees the faulty signature beside a good one. So functions that sign verify the signature
// before they return it, unless SignOptions.Unchecked is set. They verify the recovery id of a
// recoverable signature too, and that the nonce and the hash are those of its derivation. So they
// find a fault that changes the key, the public key, the hash, the nonce or the signature from
// their first read until the check. They do not find a fault within the derivation, whose result is
// then an unrelated nonce, one that changes the key before its public key is first computed, or one
// in the check.
//
// A hash that changes during the call gives an error, or the signature of the hash at the first
// read.
//
// [NewSigner] makes a key a crypto.Signer.
//
// # Verifying
//
// Verify follows the standard and accepts a high s as well as a low one. VerifyLowS accepts a low s
// only. By the standard, if a signature with s is valid, so is the one with n - s. VerifyLowS
// accepts only one of the two, so that an attacker cannot turn a valid signature into another.
//
// VerifyPrepared and VerifyPreparedLowS do the same with prepared keys, for keys that sign often:
// see [koblitz.PublicKey.Prepare].
//
// # Encodings
//
// A Signature is parsed from 64 bytes, r and s in big-endian order, by ParseSignature, and from DER
// by ParseDER, which accepts the encodings that BIP-66 allows. ParseDERLax also accepts encodings
// in blocks from before BIP-66. The 65 bytes of SignRecoverable and Recover are r, s and the
// recovery id. Ethereum and Bitcoin's signed messages put the id elsewhere, or add a number to it.
package ecdsa
