// Package dleq makes and verifies proofs that two discrete logarithms are equal (BIP-374).
//
// The statement is about points: A = a·G and C = a·B, for one secret number a. If A and B are
// public keys, C is their shared point of a Diffie-Hellman key agreement, and the proof shows that
// C is right. So a sender of silent payments (BIP-352) can prove to others that outputs are right,
// and keep the private key.
//
// A proof is 64 bytes: the challenge e, a hash, and the response s, below the group order n, both
// big-endian.
//
// # What is proven
//
// A valid proof shows that whoever made it knew one a with A = a·G and C = a·B: a prover without it
// would have to find a hash that SHA-256, as a random oracle, gives with the probability 2⁻²⁵⁶ per
// attempt. The proof tells nothing about a beyond the statement. It says nothing else: not who made
// it, not when, and not that no one else knows a.
//
// # What callers must not do
//
//   - Do not prove a statement about a point B of somebody else, unless C may become public. C is
//     the secret that a key agreement of a with B gives: whoever sees it can decrypt what that
//     secret protects.
//   - Do not accept a proof for A, B or C that the prover chose, if the protocol says what they
//     are. A verifier computes or looks up these points, and must know that A belongs to the
//     signer.
//   - Do not take a proof without a message as a sign that its maker agrees to anything: everyone
//     who sees the proof can show it again. A Message, such as the hash of a transaction, binds
//     the proof to one use.
//   - Do not take a generator G from the prover. A = a·G for such a G says nothing about the
//     private key of A.
package dleq
