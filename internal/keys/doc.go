// Package keys holds the structs behind the public key types, with the methods
// that the packages of this module need and its users do not.
//
// The root package declares PublicKey, XOnlyPublicKey, PreparedKey and
// PrivateKey from these, so a package inside converts a key, as in
// (*keys.Public)(pk), and reaches its point or its scalar without going through
// bytes. The fields are unexported and this package is internal: nobody outside
// can. The scalars and points of package group cross packages in the same way.
//
// Nothing here is arithmetic. Packages point and ecmult have that, vartime has the tables
// of prepared keys, and scalar reads private keys and nonces from bytes. The one thing
// that is computed here is the public key of a private one, because all copies of the
// private key share it.
//
// The methods that ask for a key (Affine, Load, Live, Public, Blinding, Blinded, Wipe)
// accept a nil receiver and the zero value, which holds none.
package keys
