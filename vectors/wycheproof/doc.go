// Package wycheproof holds no code, only tests. They check the verdict of every row in every
// secp256k1 file of Wycheproof, and count the rows.
//
// The files are those of the module that go.mod requires. Four of them have more rows today. Their
// newer versions are in ../testdata, because newer versions of that module require a newer Go than
// this library does. A test checks that every row of an older file is also in the newer one.
//
// # Rules
//
// ECDSA signatures in DER are parsed by ecdsa.ParseDER and verified by ecdsa.Verify, which accepts
// a high s. In the file for Bitcoin they are verified by ecdsa.VerifyLowS. Signatures in the form
// of IEEE P1363 are parsed by ecdsa.ParseSignature. The rows of these files are valid or invalid,
// and every verdict must be the file's.
//
// The file for ECDH with keys in X.509's SubjectPublicKeyInfo also has rows with the result
// acceptable. Of these rows, the tests accept the DER encodings of a key on the named curve
// secp256k1 with an uncompressed or compressed point. They refuse everything else, including
// explicit curve parameters and other encodings of the same key.
package wycheproof
