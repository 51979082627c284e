// Package musig2 implements MuSig2 (BIP-327): several signers make one BIP-340 signature under one
// aggregate key. Neither the key nor the signature shows that there were several signers.
//
//	AggregateKeys         the aggregate key of all signers, and its tweaks
//	GenerateNonce         a secret nonce for one signature
//	AggregateNonces       the sum of all public nonces
//	NewSession            the signing of one message
//	Session.Sign          one signer's partial signature
//	Session.VerifyAll     verifies all partial signatures, and names the signers of invalid ones
//	Session.Aggregate     the signature, from the partial signatures of all signers
//	DeterministicSign     nonce and partial signature of a last signer that keeps no state
//
// In the first round each signer sends a public nonce to all others, and in the second round a
// partial signature. The first round needs neither the message nor the aggregate key. An aggregator
// may collect and add up what the signers send. It need not be trusted: it can prevent a signature,
// but not forge one.
//
// # What is proven
//
// Nick, Ruffing and Seurin ("MuSig2: Simple Two-Round Schnorr Multi-Signatures", CRYPTO 2021,
// ePrint 2020/1261) prove that nobody forges a signature while one signer is honest, even with many
// concurrent sessions, and with keys that dishonest signers choose after seeing others. The proof
// for two nonces, as here, assumes the algebraic one-more discrete logarithm problem to be hard, in
// the random oracle model and the algebraic group model. It does not treat tweaks.
//
// # Rules for callers
//
//   - A secret nonce must never sign twice: two partial signatures with one nonce give away the
//     private key. A SecretNonce signs once in one process. It cannot protect against copies of the
//     process: do not restore a snapshot of a virtual machine, or fork, between GenerateNonce and
//     Sign.
//   - Send a public nonce in one session alone.
//   - Before signing, check that the message is the intended one, and that the aggregate key is
//     made from the right keys.
//   - A partial signature is no signature: it can be forged for a public nonce that the forger
//     chooses. So blame a signer only for what arrived on an authenticated channel.
//   - Signer i is the owner of argument i of AggregateKeys. SortKeys changes the order of the keys.
//     VerifyPartial and VerifyAll need partial signatures and public nonces in the order of the
//     keys. AggregateNonces and Aggregate take any order.
//   - At most one signer of a session may call DeterministicSign, and only with the nonces of all
//     other signers.
//   - A signer whose key takes part several times needs a nonce for each time.
//
// # Time
//
// The time of functions that take a private key or a secret nonce does not depend on them. The time
// of all other functions depends on their arguments, which are public: tweaks and Merkle roots too.
package musig2
