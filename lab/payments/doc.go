// Package payments compares silent payments (BIP-352) with the Rust crate silentpayments, on random
// transactions: package silentpay, and the public tweaks of package bitcoin. It is a separate
// module, because the module bitcoin has dependencies. The tests build the program in the folder
// rust with cargo, which fetches the crates that Cargo.lock names.
//
//	GOWORK=off go test .
package payments
