// Package secp256k1 replaces github.com/decred/dcrd/dcrec/secp256k1/v4. It has the same names, uses
// the arithmetic of github.com/koblitz-go/koblitz, which is several times faster, and handles
// secrets in constant time. A line in the go.mod of a program's main module makes every package in
// the build use it:
//
//	replace github.com/decred/dcrd/dcrec/secp256k1/v4 =>
//		github.com/koblitz-go/koblitz/compat/dcrec/v4 v4.4.1
//
// (in one line). No version is published yet: until then the right side is the path of
// compat/dcrec/v4 in a checkout, and two more lines replace btcec and koblitz. docs/drop-in.md in
// the repository of koblitz has these lines, and says what changes and what does not.
// docs/port.md describes the packages that new programs should use.
package secp256k1
