// Package reference is the oracle of the tests: secp256k1, ECDSA and BIP-340
// written a second time over math/big, straight from the specifications.
//
// It is meant to be read in one sitting and believed. So it knows no trick:
// points are affine, every addition divides, scalars are multiplied bit by
// bit, and nothing here is constant time. Only tests and generators may import
// it.
//
// Every function leaves its arguments alone and returns fresh values.
package reference
