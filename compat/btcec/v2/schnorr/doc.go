// Package schnorr replaces github.com/btcsuite/btcd/btcec/v2/schnorr: BIP-340 signatures of 32-byte
// messages.
package schnorr

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.
