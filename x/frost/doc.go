// Package frost makes BIP-340 signatures by any t of n signers who share a key (BIP-445, "FROST
// Signing Protocol for BIP340 Signatures"). The signature and the key look like those of one
// signer. Keys come from a dealer or from a distributed key generation, and can be tweaked for
// BIP-32 and BIP-341. The package also makes the signatures of the ciphersuite FROST(secp256k1,
// SHA-256) of RFC 9591, with the same keys.
//
// The specification is a draft. This package follows bitcoin/bips, pull request 2070, at commit
// f7de4568f2497b40bd85bb8fb40da32c05b68d72 of 31 July 2026. The draft leaves out key generation:
// dealing follows appendix C of RFC 9591, and the distributed key generation figure 1 of Komlo and
// Goldberg (ePrint 2020/852), with its context string, and the hash of the Rust crate
// frost-secp256k1, which has no context.
//
// # A signature
//
// Participants have identifiers from 0 to n − 1.
//
//  1. Each signer calls [GenerateNonce] and sends [SecretNonce.Public] to a coordinator, who may be
//     a signer.
//  2. The coordinator calls [AggregateNonces] and sends the result to all signers.
//  3. Each signer calls [NewSession] and [Session.Sign], and sends the partial signature.
//  4. The coordinator calls [Session.Aggregate]. If it fails, [Session.VerifyPartials] names the
//     signers who misbehaved.
//
// # What is proven
//
// Signatures of FROST3, the variant of the draft, are unforgeable if fewer than t participants are
// corrupted, under the one-more discrete logarithm assumption with a dealer (Chu, Gerhart, Ruffing
// and Schröder, ePrint 2023/899), and under its algebraic version with the key generation
// SimplPedPoP of the same paper. The key generation here is like SimplPedPoP: a proof of possession
// for each constant term, and equal transcripts. Its proofs hash other inputs, among them a context
// that names the key generation, and there is no separate proof for it. It is not robust: one
// participant can make it fail, and is then named. Tweaks by BIP-32 and BIP-341 are proven secure
// (ePrint 2024/436); tweaks that an attacker chooses freely are not.
//
// # What callers must not do
//
//   - Callers must not use a nonce twice, and must not restore a process or a machine from a copy
//     while a nonce waits: two partial signatures by one nonce reveal the secret share.
//   - Signers must not sign before they have checked the message and the tweaks themselves. The
//     coordinator is not trusted.
//   - Signers must not take the threshold public key and public shares from the coordinator: with
//     false ones, [SignDeterministically] can reveal the secret share.
//   - Helpers of a [Repair] must not take the commitment from another participant.
//   - Participants must not use a generated key before they have compared the transcript over an
//     authenticated channel.
//   - Callers must not pay to the bare threshold public key: a participant could have hidden a
//     script path in it. Pay to its TaprootTweak(nil) or one with known scripts, as BIP-341 says.
//   - Callers must not rely on VerifyPartials for anything but blame. A partial signature is not a
//     signature: it can be forged (BIP-445, "Further Remarks").
//   - A dealer must not keep the key or the shares.
//   - Callers must not use a key both for BIP-340 and for RFC 9591.
//
// # Time
//
// The time of functions does not depend on secret shares, secret nonces and polynomials. It depends
// on everything that is public: identifiers, public keys, public nonces, commitments, messages,
// tweaks and partial signatures.
package frost
