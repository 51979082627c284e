// Package schnorr makes and verifies the Schnorr signatures of BIP-340, for
// messages of any length: in Bitcoin (BIP-341), in nostr, and elsewhere.
//
// The message is signed unchanged: this package neither hashes it first nor adds a context. As
// BIP-340 advises, a protocol should prefix its messages, or hash them with a tag of its own, so
// that its signatures are worth nothing in another protocol. [TaggedHash] computes such a hash.
//
// A signature is 64 bytes: the x coordinate of the nonce point R, below p, and
// s, below n, big-endian. A key is an XOnlyPublicKey of the root package.
//
// # Auxiliary randomness
//
// Signing mixes 32 bytes of auxiliary randomness into the derivation of the nonce, as a defence
// against faults and side channels. A signature is safe without it, and also if the bytes are
// public. Without SignOptions.Aux the bytes come fresh from crypto/rand. With 32 zero bytes, or any
// other constant, signing is deterministic.
//
// # The check at the end
//
// If a fault, such as a flipped bit in memory or in the processor, changes a signature, everyone
// who sees it may be able to compute the private key. So signing by BIP-340 ends with a
// verification of the result, and Sign and AppendSign do that. They also compute the nonce a second
// time: with a changed nonce the signature would be valid, and beside one of the same message
// without a fault it reveals the key. So they find a fault that changes the key, the public key,
// the message, the nonce or the signature from their first read until the check. They do not find a
// fault that changes the key before its public key is first computed, one in the check, or the same
// fault in both computations. With SignOptions.Unchecked they omit both, as libsecp256k1 does, and
// take less than half as long. [NewSigner] makes a key a crypto.Signer.
//
// A message that changes during the call gives an error, or the signature of the message at the
// first read.
//
// # Prepared keys
//
// VerifyPrepared works like Verify, for a key with a table of its multiples, in half the time: see
// [koblitz.PublicKey.Prepare].
package schnorr
