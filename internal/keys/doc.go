// Package keys holds the structs behind the public types of keys and signatures,
// with methods that only packages of this module need.
//
// The root package declares PublicKey, XOnlyPublicKey, PreparedKey and
// PrivateKey from these structs. So a package of this module converts a key, as
// in (*keys.Public)(pk), and reads its point or scalar without encoding it. Other
// modules cannot: the fields are unexported and this package is internal. The
// signatures of package ecdsa, and the scalars and points of package group, pass
// between packages in the same way.
//
// This package computes only the public key of a private key, which all copies of
// the private key share. Packages point and ecmult have the arithmetic, vartime the
// tables of prepared keys, and scalar reads private keys and nonces from bytes.
//
// The methods Affine, Load, Live, Public, Blinding, Blinded and Wipe accept a nil
// receiver and the zero value, which hold no key.
package keys
