// Package rust compares packages with Rust crates: silentpay and the public tweaks of package
// bitcoin with silentpayments (BIP-352), and musig2 with musig2 (BIP-327). Both sides get the same
// random inputs. The tests build the program in the folder peer with cargo, which fetches the crates
// that Cargo.lock names. They need Rust 1.88.
//
// The crate silentpayments refuses some transactions that BIP-352 allows, and the tests make none of
// these: the private keys of the first inputs of a sender add up to zero, but not those of all. The
// crate does not limit the number of outputs for one receiver.
//
//	GOWORK=off go test .
package rust
