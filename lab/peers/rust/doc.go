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
// The crates musig2 and those of FROST use the crate k256, which accepts the byte 5 and an x
// coordinate as an encoding of a point. SEC 1 has no such encoding, and musig2 and x/frost refuse
// it.
//
// The crates of FROST refuse a threshold of 1. The crate frost-secp256k1-tr makes signatures of
// BIP-340, but not by the protocol of BIP-445, so their signers cannot take part in one session:
//
//   - The crate has a binding factor for each signer, and BIP-445 one for all signers. They use
//     other hashes.
//   - The hashes for nonces differ.
//   - The crate adds a tweak to each share, and BIP-445 to the signature.
//   - The crate tweaks the key at the end of its key generation, and its proofs have another hash.
//
// The shares of a dealer and the keys with the tweak of BIP-341 are equal. Both accept the same
// signatures.
//
//	GOWORK=off go test -tags rust ./rust
//
// Without the tag rust, the tests are left out.
package rust

//ci:untested The part rust of make acceptance runs the tests.
