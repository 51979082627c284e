// Package schnorr makes and verifies the Schnorr signatures of BIP-340, for
// messages of any length: in Bitcoin (BIP-341), in nostr, and elsewhere.
//
// The message is signed as it is: this package neither hashes it first nor adds a context. As
// BIP-340 advises, a protocol should prefix its messages, or hash them with a tag of its own, so
// that its signatures are worth nothing in another protocol.
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
// A fault while a signature is made (a flipped bit, in memory or in the
// processor) can give away the private key to everyone who sees the signature.
// BIP-340 therefore ends with a verification of the result, and so do Sign and
// AppendSign. With SignOptions.Unchecked they leave it out, as libsecp256k1 does, and
// take less than half as long. [NewSigner] makes a key a crypto.Signer.
//
// # Keys that sign often
//
// VerifyPrepared is Verify for a key with a table of its multiples. It takes half as long: see
// [koblitz.PublicKey.Prepare].
package schnorr
