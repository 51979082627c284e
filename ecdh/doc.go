// Package ecdh computes shared secrets: the Diffie-Hellman primitive over secp256k1 (SEC 1 version
// 2, section 3.3.1), in the forms that protocols on this curve use.
//
//	SharedX       the x coordinate: SEC 1, ECIES, nostr, JOSE
//	SharedXOnly   the same, for a peer with an x-only key
//	SharedSHA256  SHA-256 of the compressed point: libsecp256k1, Lightning
//
// An x coordinate is no key: it is not uniform, and has at most 2²⁵⁵ different values. Derive keys
// from it with a hash or a KDF that also takes the identities of both parties.
//
// The group has prime order, and a public key is checked when it is parsed. So the shared point is
// never infinity, and there are no small subgroups. The time does not depend on the private key or
// on the shared secret.
package ecdh
