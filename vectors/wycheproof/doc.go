// Package wycheproof contains only tests. They run every row in Wycheproof's files for secp256k1,
// compare the result with the one in the file, and check the number of rows.
//
// The files are in the Go module that go.mod requires. Newer versions of four files have more rows;
// these are in ../testdata, because newer versions of the module require a newer Go than this
// library does. TestNewerFiles checks that the newer files have all rows of the older ones.
//
// # Rules
//
// ECDSA signatures in DER are parsed by ecdsa.ParseDER and verified by ecdsa.Verify, which accepts
// high s. Only in the file for Bitcoin they are verified by ecdsa.VerifyLowS. Signatures in the
// form of IEEE P1363 are parsed by ecdsa.ParseSignature. The rows in these files are either valid
// or invalid, and every result must be the file's.
//
// The file for ECDH with keys in X.509's SubjectPublicKeyInfo also has rows that are "acceptable".
// The tests accept a key only if it is the unique DER encoding of a compressed or uncompressed
// point on the named curve secp256k1. All other keys are refused, such as those with explicit curve
// parameters.
package wycheproof
