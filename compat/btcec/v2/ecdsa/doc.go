// Package ecdsa replaces github.com/btcsuite/btcd/btcec/v2/ecdsa: ECDSA signatures (SEC 1 version
// 2, section 4.1) with nonces of RFC 6979.
package ecdsa

//ci:untested lab/oracle and lab/suites test the package that it passes calls on to.

import "github.com/koblitz-go/koblitz/compat/impl/ecdsa"

// Error is a kind of error, as in the replaced package.
type Error = ecdsa.ErrorKind
