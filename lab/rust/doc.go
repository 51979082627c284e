// Package rust compares packages with Rust crates. Both sides get the same random inputs.
//
//   - silentpay, and the public tweaks of package bitcoin, with silentpayments (BIP-352)
//   - musig2 with musig2 (BIP-327)
//   - x/frost with frost-secp256k1 (RFC 9591) and frost-secp256k1-tr (FROST for BIP-340)
//
// The tests build the program in the folder peer with cargo, which fetches the crates that
// Cargo.lock names. They need Rust 1.88.
//
// # Differences
//
// The crate silentpayments refuses some transactions that BIP-352 allows, and the tests make none
// of these: the private keys of the first inputs of a sender add up to zero, but not those of all.
// The crate does not limit the number of outputs for one receiver.
//
// The crate musig2 has no DeterministicSign. It verifies partial signatures made by it.
//
// The crates of FROST refuse a threshold of 1. The crate frost-secp256k1-tr makes BIP-340 signatures
// by another protocol than BIP-445. It computes a binding factor for each signer, by the hash of RFC
// 9591 with a context string of its own. BIP-445 has one binding factor for all, by the tagged hash
// BIP0445/noncecoef, and other hashes for nonces. It also adds tweaks to the signature, and the
// crate adds them to each share. So R and the partial signatures of the two differ, and signers of
// the two cannot take part in one session. What remains the same is a dealer's shares, the tweaked
// key, and which signatures are valid. The crate's key generation has another context string too,
// and tweaks the key.
//
//	GOWORK=off go test .
package rust
