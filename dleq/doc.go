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
// A valid proof shows that its maker knew a number a with A = a·G and C = a·B. Someone who does not
// know such a number has to find a suitable hash, and in the model in which SHA-256 is a random
// oracle each attempt succeeds with a probability of 2⁻²⁵⁶. The proof reveals nothing else about a.
// It does not show who made it or when, or that only one party knows a.
//
// # What callers must not do
//
//   - Do not make a proof for the public key B of another party, unless C may become public. C
//     is the shared secret of a key agreement between a and B. Everyone who sees C can decrypt
//     what this secret protects.
//   - Do not accept a proof for A, B or C that the prover chose, if the protocol says what they
//     are. A verifier computes or looks up these points, and must know that A belongs to the
//     signer.
//   - Do not take a proof without a message as a sign that its maker agrees to anything: everyone
//     who sees the proof can show it again. A Message, such as the hash of a transaction, binds
//     the proof to one use.
//   - Do not take a generator G from the prover. A = a·G for such a G says nothing about the
//     private key of A.
package dleq
