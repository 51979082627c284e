// Package vectors holds no code, only tests: it runs published test vectors
// against the public packages of koblitz. It is a module of its own, so that
// the library depends on none of what the tests need.
//
// The vectors come in three ways. A Go module that has them is required in
// go.mod, and go.sum pins it: Wycheproof is read through its embedded files,
// and the tables in the tests of dcrec and btcec are read from their source.
// Small files are in testdata, where the file SOURCES has the origin, the
// version and the SHA-256 of each. Every file and every row is counted, and a
// test that finds another number of rows fails.
//
//	vectors             BIP-32, BIP-67, BIP-340, BIP-341, RFC 6979, SEC 1 encodings,
//	                    strict DER, recovery (EIP-155), BOLT 8, NIP-44, tweaks, multiples of G
//	vectors/wycheproof  every secp256k1 file of Wycheproof
//	vectors/peers       no vectors: the same random and hostile inputs to koblitz,
//	                    dcrec and btcec
//
// SEC 1 itself publishes no vectors, and GEC 2, which has some for it, none for
// secp256k1. Its rules for encodings are tested with the tables of others.
package vectors
