// Package pkix reads and writes keys of secp256k1 in the forms that openssl and most other software
// use for files: DER, and DER in PEM.
//
//	form                                     PEM label        specification
//	ParseECPrivateKey, MarshalECPrivateKey   EC PRIVATE KEY   SEC 1 version 2, C.4; RFC 5915
//	ParsePKCS8PrivateKey, Marshal…           PRIVATE KEY      PKCS #8: RFC 5208; RFC 5958, version 1
//	ParsePublicKey, MarshalPublicKey         PUBLIC KEY       SubjectPublicKeyInfo: RFC 5280, 5480
//
// The curve is named by its object identifier 1.3.132.0.10, and a public key is a point of 65
// bytes. These are the encodings that openssl writes by default, bit for bit. The parsers also
// accept a compressed point of 33 bytes, and private keys without the public key.
//
// They refuse all else: BER; a private key that does not have 32 bytes; a curve given by its
// numbers instead of the name; hybrid points; attributes; more bytes after the key; and a public
// key that does not belong to the private key, which openssl finds only with the option -check.
// openssl writes most of these keys in an accepted form by
//
//	openssl pkey -in FILE -ec_param_enc named_curve -ec_conv_form uncompressed
//
// Errors name the field, and the offset in the DER or PEM. They contain no bytes of private keys.
//
// # Secrets
//
// The time depends on the structure of an encoding, such as its lengths, and not on the private
// key. This includes base64, for which encoding/base64 indexes tables with secrets. All memory with
// secrets is wiped, except the input and the result, which the caller should overwrite with clear.
//
// Private keys are written without encryption. Encrypted files are refused with [ErrEncrypted].
package pkix
