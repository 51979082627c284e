// Package hash computes everything that signatures and shared points need of
// SHA-256: the tagged hashes of BIP-340, the nonces of RFC 6979, the number that ECDSA
// makes of a hash, and the hash of a shared point. And it has the SHA-256 of many
// messages, and the Keccak-256 of Ethereum's addresses, of one message and of many.
//
// SHA-256 itself is the standard library's, except where sixteen hashes are computed
// at a time, of rows or of messages of any lengths. Keccak-256 of many messages is
// computed eight at a time. Nothing here allocates: a hash that is created and used
// within one function stays on its stack. No midstate of a tag is kept: to restore one
// goes through an interface and an encoding, and costs more than the one block of input
// that it saves.
//
// A hash leaves copies of its input on the stack. Where the input is secret, callers
// run under package secret, which wipes the stack.
//
// The time every function takes depends on the lengths of its inputs and on
// nothing else about them.
package hash

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package hash -dir ../internal/hash
