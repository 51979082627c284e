// Package reference is the oracle of the tests: secp256k1, ECDSA, BIP-340 and Keccak
// written a second time, straight from the specifications, numbers over math/big.
//
// It is meant to be read in one sitting and believed. So it knows no trick:
// points are affine, every addition divides, scalars are multiplied bit by
// bit, and nothing here is constant time. Only tests and generators may import
// it.
//
// Every function leaves its arguments alone and returns fresh values.
package reference
