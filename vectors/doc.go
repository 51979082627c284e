// Package vectors contains only tests. They run published test vectors against the public packages
// of koblitz. The folder is a separate module, so that the library does not depend on the modules
// that the tests need.
//
// The vectors come from two places. Some are in Go modules that go.mod requires and go.sum pins:
// Wycheproof's files are embedded in its module, and the tables of dcrec and btcec are read from
// the source of their tests. The others are in testdata, where the file SOURCES lists the origin,
// the version and the SHA-256 of each file. Every test checks how many rows it has run, so that a
// change in their number is noticed.
//
//	vectors             BIP-32, BIP-67, BIP-340, BIP-341, RFC 6979, SEC 1 encodings,
//	                    strict DER, recovery (EIP-155), BOLT 8, NIP-44, tweaks, multiples of G
//	vectors/wycheproof  every secp256k1 file of Wycheproof
//	vectors/peers       no vectors: the same random and hostile inputs to koblitz,
//	                    dcrec and btcec
//
// SEC 1 has no test vectors, and GEC 2, which has vectors for SEC 1, has none for secp256k1. The
// encodings of SEC 1 are tested with the tables of dcrec, btcec and tiny-secp256k1.
package vectors
