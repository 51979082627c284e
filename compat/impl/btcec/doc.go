// Package btcec has what github.com/btcsuite/btcd/btcec/v2 adds to the types and functions of
// dcrec, computed by koblitz.
//
// It is not for direct use, and promises nothing about versions: the module in
// compat/btcec/v2 consists of aliases of it, of the packages below it and of
// compat/impl/secp256k1, under the path that programs import. Names, arguments, results and
// errors are those of version 2.5.1. What package secp256k1 says about differences holds here.
package btcec
