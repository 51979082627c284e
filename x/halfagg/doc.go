// Package halfagg aggregates BIP-340 signatures to half their size: u signatures of 64 bytes become
// one aggregate of 32·(u + 1) bytes (BIP-458, "Half-Aggregation of BIP 340 Signatures"). Anyone can
// aggregate signatures; no secret is needed. Signatures can be added to an aggregate, but not
// removed, and two aggregates cannot be combined.
//
// The specification is a draft. This package follows bitcoin/bips at commit
// 933f3b52b5ffb424e24418529a3deff6ba87c2ae of 27 July 2026.
//
// # What is proven
//
// An aggregate that verifies proves that a valid signature exists for every statement, if BIP-340
// signatures are secure and SHA-256 is a random oracle (Chalkias, Garillot, Kondi and Nikolaenko,
// ePrint 2021/350). Chen and Zhao (ePrint 2022/222) prove the form with a first randomizer of 1 and
// with incremental aggregation, which the draft uses, in the algebraic group model.
//
// # What callers must not do
//
//   - Callers must not conclude from a valid aggregate that its input signatures were valid.
//     Invalid signatures can be chosen so that their aggregate is valid. Verify signatures before
//     aggregating them, with package batch, if each one must be valid.
//   - Callers must not treat an aggregate as unique. Adding the same signatures in another order
//     gives another aggregate of the same statements, in another order.
//   - Callers must limit the number of statements that they accept. The draft imposes no limit, and
//     neither does this package: an aggregate of a million is valid, takes seconds to verify, and
//     needs some 400 bytes of memory for each statement.
//   - Adaptor signatures do not survive aggregation: the aggregate hides the half of a signature
//     that reveals their secret.
//
// # Time
//
// Everything is public. The time depends on all arguments.
package halfagg
