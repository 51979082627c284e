// Package ellswift replaces github.com/btcsuite/btcd/btcec/v2/ellswift: the encoding of public keys
// of BIP-324, and its shared secrets.
package ellswift

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.
