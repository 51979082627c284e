// Package reference is the oracle of the tests: a second implementation of secp256k1, ECDSA,
// BIP-340 and Keccak, written directly from the specifications with math/big.
//
// It is short and simple, so that a reader can check it. Points are affine, every addition divides,
// scalars are multiplied bit by bit, and no function is constant time. Only tests and generators
// may import it.
//
// No function changes its arguments; each returns new values.
package reference
