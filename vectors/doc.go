// Package vectors holds no code, only tests. They run published test vectors against the public
// packages of koblitz. The package is a module of its own, so that the library does not depend on
// the modules that the tests need.
//
// The vectors come from two sources. Wycheproof is a Go module that go.mod requires, and is read
// through its embedded files. Small files are in testdata, where the file SOURCES lists the origin,
// the version and the SHA-256 of each. Every file and every row is counted. A test that finds
// another number of rows fails.
//
//	vectors             BIP-32, BIP-67, BIP-324, BIP-340, BIP-341, BIP-352, BIP-374,
//	                    BIP-458, RFC 6979, RFC 9380,
//	                    SEC 1 encodings, strict DER, recovery (EIP-155), BOLT 8,
//	                    adaptor signatures (dlcspecs),
//	                    tweaks, multiples of G
//	vectors/wycheproof  every secp256k1 file of Wycheproof
//
// Tests of the modules nostr and x, and of package musig2, have the vectors of NIP-44, of FROST and
// of MuSig2. The file of NIP-44 is in testdata.
//
// SEC 1 itself publishes no vectors, and GEC 2, which has vectors for SEC 1, has none for
// secp256k1. The rules of SEC 1 for encodings are tested with the fixtures of tiny-secp256k1.
package vectors
