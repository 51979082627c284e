// Package peers holds no code, only tests: thousands of random and hostile inputs
// go to koblitz, to dcrec's secp256k1 and to btcec, which must come to the same
// results. Where they do not, by their own decision or by ours, the test says
// which inputs those are, and that all others agree.
//
// The inputs come from a generator with a fixed seed: every run has the same.
package peers
