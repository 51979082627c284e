// Package hash holds what is hashed with SHA-256: the tagged hashes of BIP-340
// and the nonce generator of RFC 6979, of which signatures are made, and the hash
// of a shared point.
//
// SHA-256 itself is the standard library's, except where sixteen challenges are
// hashed at a time. Nothing here allocates: a hash
// that is created and used within one function stays on its stack. That is
// also why no midstate of a tag is kept. Restoring one goes through an
// interface and an encoding, and costs more than the one block of input that
// it saves.
//
// What a hash leaves of its input is on the stack too: where the input is secret,
// callers run under package secret, which wipes that.
//
// The time every function takes depends on the lengths of its inputs and on
// nothing else about them.
package hash

//go:generate env -C ../../_asm GOWORK=off go run ./cmd/generate -package hash -dir ../internal/hash
