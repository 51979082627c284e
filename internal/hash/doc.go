// Package hash computes the hashes that signatures and shared secrets need: the
// tagged hashes of BIP-340, the nonces of RFC 6979, the number that ECDSA signs for
// a hash, and the hash of a shared point, all with SHA-256. It also computes SHA-256
// of many messages, and Keccak-256 (Ethereum's addresses) of one message or many.
//
// SHA-256 is the standard library's, except that sixteen hashes, of rows or of
// messages of any lengths, are computed at a time in vectors. Keccak-256 of many
// messages is computed eight at a time. Hashing does not allocate: a hash that is
// created and used within one function stays on its stack. The package does not
// store the state after a tag's first block: the standard library restores a state
// through an interface and an encoding, which costs more than hashing the block.
//
// A hash leaves copies of its input on the stack. If the input is secret, callers
// run under package secret, which wipes the stack.
//
// The time of every function depends only on the lengths of its inputs.
package hash

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package hash -dir ../internal/hash
