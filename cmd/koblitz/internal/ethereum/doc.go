// Package ethereum reads Ethereum blocks for the check command and returns the signed digest of
// every transaction.
//
// # Inputs
//
//   - JSON: responses to eth_getBlockByNumber and eth_getBlockByHash with full transactions; bare,
//     or in the objects and lists of JSON-RPC.
//   - RLP: blocks one after another, as "geth export" writes them.
//
// # What is checked
//
// Every transaction (legacy with and without EIP-155, EIP-2930, EIP-1559, EIP-4844 and EIP-7702)
// becomes one rows.Unit with the signed digest, r, s and the parity of y. The number and time of
// the block select the chain's rules on signatures: s in the lower half since Homestead (EIP-2),
// the chain id, and the permitted transaction types. A JSON-RPC response states the hash and the
// sender of each transaction, and both are compared with the computed ones. RLP states neither; for
// it the recovered sender is only reported.
//
// A block is checked as a whole too: the transactions root and, where the fields allow it, the
// block's hash are computed and compared with the stated ones. Its parent hash and its number are
// compared with the blocks before it.
//
// The checks do not cover balances, execution, or the signatures of the authorizations in an
// EIP-7702 transaction, which stays valid if one of them is invalid.
//
// # The library
//
// Package wire of the module ethereum decodes and encodes. Go-ethereum, whose library is under the
// LGPL, is an oracle of the tests, and must not be linked into the program.
package ethereum
