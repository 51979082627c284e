// Package keys holds the structs behind the public types of keys and signatures, with methods that
// only packages of this module need.
//
// The root package declares PublicKey, XOnlyPublicKey, PreparedKey and PrivateKey from these
// structs. So a package of this module can convert a key, as in (*keys.Public)(pk), and read its
// point or scalar without encoding it. Other modules cannot: the fields are unexported and this
// package is internal. The signatures of package ecdsa, and the scalars and points of package
// group, are passed between packages in the same way.
//
// The only computation in this package is that of a private key's public key, which all copies of
// the private key share. Packages point and ecmult have the arithmetic, vartime has the tables of
// prepared keys, and scalar reads private keys and nonces from bytes.
//
// The methods Affine, Load, Live, Public, Blinding, Blinded and Wipe accept a nil receiver and the
// zero value, which hold no key.
package keys
