// Package ethereum reads Ethereum blocks for the check command and takes out of
// every transaction what its sender signed.
//
// # Inputs
//
//   - JSON: the answers to eth_getBlockByNumber and eth_getBlockByHash with full
//     transactions, beacon blocks with encoded ones, and execution payloads as
//     the engine API passes them on; bare, or in the objects and lists that
//     JSON-RPC and the beacon API put around them.
//   - RLP: blocks one after the other, as "geth export" writes them.
//
// # What is judged
//
// Every transaction (legacy with and without EIP-155, EIP-2930, EIP-1559,
// EIP-4844 and EIP-7702) becomes one rows.Unit with the digest that was signed
// and r, s and the parity of y. The rules of the chain that judge a signature
// hold, by the number and time of the block: s in the lower half from Homestead
// on (EIP-2), the chain id, and which types there are yet. A JSON-RPC answer
// names the hash and the sender of each transaction, and both are compared; the
// other forms name neither, and of those the sender is only told.
//
// Nothing else is checked: no header, no root of a trie, no balance, and not
// the signatures of the authorizations in an EIP-7702 transaction, of which a
// bad one does not spoil the transaction.
//
// # The library
//
// Encodings are decoded and made by go-ethereum's package rlp. Its core/types is
// left to the tests, as their oracle: it would bring 33 packages and 2.4 MB more
// into the program, among them a pairing library for blobs, and libsecp256k1 in C
// wherever a C compiler is found.
package ethereum
