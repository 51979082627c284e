// Package subject calls every function and method of github.com/decred/dcrd/dcrec/secp256k1/v4, of
// github.com/btcsuite/btcd/btcec/v2, of the packages below them, and of
// github.com/erigontech/secp256k1. It writes down everything that a caller can see of the results.
// It is compiled with these modules and with their replacements, and the outputs of both programs
// must be equal.
//
// All that it does is determined by the bytes of a tape.
package subject

//ci:untested The tests of lab/oracle run it.
