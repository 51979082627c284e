// Package subject exercises every function and method of
// github.com/decred/dcrd/dcrec/secp256k1/v4 and its packages ecdsa and schnorr, and writes
// down all that a caller can see of the results. It is compiled twice, with that module and
// with the one that replaces it, and both must write the same.
//
// What it does follows from the bytes of a tape alone.
package subject
