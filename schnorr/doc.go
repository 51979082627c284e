// Package schnorr makes and verifies the Schnorr signatures of BIP-340, for
// messages of any length: in Bitcoin (BIP-341), in nostr, and elsewhere.
//
// The message is signed as it is: nothing here hashes it first or adds a context. A
// protocol prefixes it or hashes it with a tag of its own, as BIP-340 advises, so that
// a signature cannot be taken for one that another protocol made.
//
// A signature is 64 bytes: the x coordinate of the nonce point R, below p, and
// s, below n, big-endian. A key is an XOnlyPublicKey of the root package.
//
// # Auxiliary randomness
//
// Signing mixes 32 bytes of auxiliary randomness into the derivation of the
// nonce. It defends against faults and side channels. The signature is safe
// without it, and no worse if the bytes are public. Without SignOptions.Aux the bytes
// come fresh from crypto/rand; 32 zero bytes, or any other constant, make
// signing deterministic.
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
// VerifyPrepared is Verify for a key with a table of its multiples, which takes
// half as long: see [koblitz.PublicKey.Prepare].
package schnorr
