// Package hash computes the hashes that signatures and shared secrets need: the tagged hashes of
// BIP-340, the nonces of RFC 6979, the number that ECDSA signs for a hash, and the hash of a shared
// point, all with SHA-256. It also computes SHA-256 of many messages, and Keccak-256 (Ethereum's
// addresses) of one message or many.
//
// SHA-256 of one message is the standard library's. Vectors compute sixteen SHA-256 hashes at a
// time, of rows or of messages of any lengths, and eight Keccak-256 hashes at a time. Without
// vectors, the CPU's SHA-256 instructions compute two SHA-256 hashes at a time. Hashing does not
// allocate: a hash that is created and used within one function stays on its stack. For one hash,
// the package does not store the state after a tag's first block: the standard library restores a
// state through an interface and an encoding, which takes longer than hashing the block.
//
// A hash leaves copies of its input on the stack. If the input is secret, callers run the functions
// of this package under package secret, which wipes the stack.
//
// The time of every function depends only on the lengths of its inputs.
package hash

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package hash -dir ../internal/hash
