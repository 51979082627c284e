// Package silentpay implements silent payments (BIP-352): a receiver publishes one address, every
// payment to it goes to a new taproot output, and only the receiver can link the two.
//
//	Address, ParseAddress   the address: a scan key and a spend key, in bech32m
//	Outputs                 the sender: the output keys of a transaction
//	PublicTweak             the public half of scanning, which an index can store
//	Receiver                the receiver: finds outputs, without the secret spend key
//	SpendKey.Tweak          the private key that spends an output
//
// Names are those of the BIP. The receiver has a scan key b_scan and a spend key b_spend. The
// sender adds up the private keys of the transaction's eligible inputs to a, whose public key is A.
// Both parties compute the same point,
//
//	shared secret = input_hash·a·B_scan = b_scan·(input_hash·A)
//
// where input_hash is a hash of A and the smallest outpoint, and input_hash·A is the public tweak
// of the transaction. Output number k of a receiver is B_m + t_k·G, where t_k is a hash of the
// shared secret and k, and B_m is the spend key in the address: B_spend, or with label m, B_spend +
// hash(b_scan ‖ m)·G.
//
// This package does not read transactions. The caller finds the eligible inputs and their public
// keys (BIP-352, "Inputs For Shared Secret Derivation"), and skips transactions that spend outputs
// of a SegWit version above 1.
//
// # Rules for callers
//
//   - Use a scan key and a spend key for nothing else. With BIP-32, derive both by hardened
//     derivation: the scan key at m/352'/coin'/account'/1'/0, the spend key at …/0'/0. Without it,
//     a scan key that is given away may reveal its parent.
//   - The scan key and the spend public key show all payments of the receiver, but cannot spend
//     them. Give the scan key only to machines that may see these payments.
//   - A private key that spends an output, together with its PrivateTweak, reveals the spend key.
//     So keep the keys that SpendKey.Tweak returns as secret as the spend key.
//   - All outputs that Outputs returns must be in the transaction, and its inputs must not change
//     afterwards: sign with SIGHASH_ALL or SIGHASH_DEFAULT, never with ANYONECANPAY. Otherwise the
//     receiver cannot find the payment, and the money is lost.
//   - Never give the change address to another person: a payment to it looks like change.
//   - All addresses of one receiver have the same scan key, so everyone sees that they belong
//     together.
//   - All inputs should belong to one sender. There is no proof of security for inputs of several
//     parties, such as in a CoinJoin.
//   - An index of public tweaks contains public data only. A receiver that downloads all of it
//     reveals nothing to the server; one that asks for single transactions afterwards reveals
//     them. A server that leaves out a tweak hides the payment.
//
// # Time
//
// The time does not depend on scan keys, spend keys, private keys of inputs, shared secrets, or
// t_k. It depends on the points that become outputs, on labels' points, and on which outputs match:
// P_k = B_spend + t_k·G is a point that a transaction would contain, and reveals nothing about t_k.
package silentpay
