// Package peers holds no code, only tests. They give thousands of random and hostile inputs to
// koblitz, to dcrec's secp256k1 and to btcec and compare the results. Where a library differs
// deliberately, the test describes those inputs and checks that the results agree for all others.
//
// The inputs come from a generator with a fixed seed, so that every run has the same inputs.
package peers
