// Package schnorr makes and verifies the Schnorr signatures of BIP-340, for
// messages of any length: in Bitcoin (BIP-341), in nostr, and elsewhere.
//
// The message is signed as it is: this package does not hash it first or add a context.
// A protocol should prefix the message or hash it with its own tag, as BIP-340 advises,
// so that signatures of one protocol are not valid in another.
//
// A signature is 64 bytes: the x coordinate of the nonce point R, below p, and
// s, below n, big-endian. A key is an XOnlyPublicKey of the root package.
//
// # Auxiliary randomness
//
// Signing mixes 32 bytes of auxiliary randomness into the derivation of the
// nonce, as a defence against faults and side channels. The signature is safe
// without it, and even if the bytes are public. Without SignOptions.Aux the bytes
// come from crypto/rand; 32 zero bytes, or any other constant, make signing
// deterministic.
//
// # The check at the end
//
// If a fault, such as a flipped bit in memory or in the processor, changes a
// signature, everyone who sees it may be able to compute the private key. So signing
// by BIP-340 ends with a verification of the result, and Sign and AppendSign do that.
// With SignOptions.Unchecked they omit it, as libsecp256k1 does, and take less than
// half as long. [NewSigner] makes a key a crypto.Signer.
//
// # Prepared keys
//
// VerifyPrepared is Verify for a prepared key, which has a table of its multiples. It
// takes half as long: see [koblitz.PublicKey.Prepare].
package schnorr
