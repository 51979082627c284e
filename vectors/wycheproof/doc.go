// Package wycheproof holds no code, only tests: every row of every secp256k1
// file of Wycheproof, counted, with the verdict that the file has for it.
//
// The files are those of the module that go.mod requires. Four of them have more
// rows today; the newer ones are in ../testdata, because the newer versions of
// that module require a newer Go than this library does. A test compares them: no
// row of the older files is missing from the newer ones.
//
// # Which rules
//
// ECDSA signatures in DER are parsed by ecdsa.ParseDER and verified by
// ecdsa.Verify, which takes a high s; in the file for Bitcoin, by
// ecdsa.VerifyLowS. Those in the form of IEEE P1363 are parsed by
// ecdsa.ParseSignature. These files know only valid and invalid, and every
// verdict is the file's.
//
// One file, for ECDH with keys in X.509's SubjectPublicKeyInfo, has rows that are
// merely acceptable. The rule here: the DER encoding of a key on the named curve
// secp256k1 with an uncompressed or compressed point is unique, and is accepted;
// everything else is refused, explicit curve parameters and other encodings of
// the same included.
package wycheproof
