// Package btcec implements the types and functions that github.com/btcsuite/btcd/btcec/v2 adds to
// those of dcrec, with the arithmetic of koblitz.
//
// It is not for direct use, and promises no compatibility between versions: the module in
// compat/btcec/v2 consists of aliases for this package, for the packages below it and for
// compat/impl/secp256k1, under the path that programs import. Names, arguments, results and errors
// are those of version 2.5.1. The differences listed in package secp256k1 apply here too.
package btcec
