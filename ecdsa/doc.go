// Package ecdsa signs and verifies with ECDSA over secp256k1 (SEC 1 version 2,
// section 4.1), as Bitcoin and Ethereum use it, and recovers public keys from
// signatures.
//
// Signatures are of a hash of the message, which the caller computes: SHA-256
// twice for Bitcoin, Keccak-256 for Ethereum.
//
// # Lengths of hashes
//
// A hash is converted to a number by SEC 1, section 4.1.3: its leftmost 256 bits, or
// all of it if it is shorter. So a signature of a short hash is valid for every message
// with that hash. Of hashes with b bits, one message in 2^b has a given hash by chance,
// and an attacker finds two messages with the same hash among 2^(b/2). The empty hash, a
// slice that was never filled, is the number zero, for which anyone can make signatures
// under any key.
//
// So hashes shorter than 20 bytes are refused: functions that sign or recover return an
// error, and functions that verify return false. 20 bytes is the length of SHA-1, the
// shortest hash in use with ECDSA. A hash of 32 zero bytes is also the number zero, but
// is not refused: make sure that you pass a hash.
//
// # Signing
//
// Nonces are those of RFC 6979 with HMAC-SHA-256, whichever function computed the hash.
// So a signature depends only on the key and the hash; SignOptions.Entropy mixes in
// more. The s of a signature is always the lower of the two possible values, at most
// n/2 (BIP-62, BIP-146).
//
// The time of signing does not depend on the key, the nonce or the entropy. It
// depends on the lengths of the hash and the entropy.
//
// If a fault, such as a flipped bit, changes a deterministic signature, anyone who
// sees the faulty signature and a good one can compute the key. So functions that
// sign verify the signature before they return it, unless SignOptions.Unchecked is
// set. For a recoverable signature they also verify the recovery id: Recover must
// find the key's public key.
//
// [NewSigner] makes a key a crypto.Signer.
//
// # Verifying
//
// Verify follows the standard, and accepts a high s as well as a low one.
// VerifyLowS accepts only the low one of two signatures that differ in s and n - s.
// So nobody can turn an accepted signature into another.
//
// VerifyPrepared and VerifyPreparedLowS do the same for prepared keys, which are
// faster for keys that sign often: see [koblitz.PublicKey.Prepare].
//
// # Encodings
//
// ParseSignature parses a Signature from 64 bytes: r and s, big-endian. ParseDER parses
// the DER encodings that BIP-66 allows. ParseDERLax also accepts other encodings in
// blocks from before BIP-66. The 65 bytes of SignRecoverable and Recover are r, s and
// the recovery id. Ethereum and Bitcoin's signed messages put that byte elsewhere, or
// add a number to it.
package ecdsa
