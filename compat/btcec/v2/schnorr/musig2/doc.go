// Package musig2 replaces github.com/btcsuite/btcd/btcec/v2/schnorr/musig2: BIP-340 signatures that
// several signers make together (BIP-327).
package musig2

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.
