// Package subject exercises every function and method of
// github.com/decred/dcrd/dcrec/secp256k1/v4, of github.com/btcsuite/btcd/btcec/v2, and of the
// packages below them, and writes down all that a caller can see of the results. It is compiled
// with those modules and with the ones that replace them, and both must write the same.
//
// What it does follows from the bytes of a tape alone.
package subject

//ci:untested The tests of lab/oracle run it.
