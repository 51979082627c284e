// Package subject calls every function and method of github.com/decred/dcrd/dcrec/secp256k1/v4, of
// github.com/btcsuite/btcd/btcec/v2, and of the packages below them, and writes down everything
// that a caller can see of the results. It is compiled with these modules and with their
// replacements, and both programs must write the same.
//
// The bytes of a tape alone determine what it does.
package subject

//ci:untested The tests of lab/oracle run it.
