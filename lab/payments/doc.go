// Package payments compares package silentpay, and the public tweaks of package bitcoin, with the
// Rust crate silentpayments (BIP-352). Both sides get the same random wallets and transactions. The
// tests build the program in the folder rust with cargo, which fetches the crates that Cargo.lock
// names. They need Rust 1.88.
//
// The crate refuses some transactions that BIP-352 allows, and the tests make none of these: the
// private keys of the first inputs of a sender add up to zero, but not those of all. The crate does
// not limit the number of outputs for one receiver.
//
//	GOWORK=off go test .
package payments
