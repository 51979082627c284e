// Package peers contains only tests. They give thousands of random and hostile inputs to koblitz,
// to dcrec's secp256k1 and to btcec, and compare the results. Where the libraries differ on
// purpose, the test states for which inputs, and checks that the results for all other inputs are
// equal.
//
// The inputs come from a random generator with a fixed seed, so every run has the same inputs.
package peers
