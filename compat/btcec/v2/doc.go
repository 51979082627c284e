// Package btcec replaces github.com/btcsuite/btcd/btcec/v2, together with the packages below it.
// The arithmetic is that of koblitz; the documentation of compat/impl/secp256k1 lists the
// differences. The types are those of the module in compat/dcrec/v4, so a main module's go.mod must
// replace either both modules or only dcrec:
//
//	replace github.com/decred/dcrd/dcrec/secp256k1/v4 =>
//		github.com/koblitz-go/koblitz/compat/dcrec/v4 v4.4.1
//	replace github.com/btcsuite/btcd/btcec/v2 =>
//		github.com/koblitz-go/koblitz/compat/btcec/v2 v2.5.1
//
// (each in one line). No version is published yet: until then the right sides are the paths of the
// two modules in a checkout, and a third line replaces koblitz. docs/drop-in.md in the repository
// of koblitz has these lines, and says what changes and what does not. docs/port.md describes the
// packages that new programs should use.
package btcec
