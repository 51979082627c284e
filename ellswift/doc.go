// Package ellswift encodes public keys as 64 bytes that look like random bytes, and derives the
// shared secret of two parties that exchange such encodings: ElligatorSwift, as BIP-324 specifies
// it for the encrypted connections of Bitcoin's nodes.
//
//	Create        encodes the public key of a private key: BIP-324's ellswift_create
//	Encode        encodes a public key
//	Decode        returns the public key that 64 bytes encode
//	SharedSecret  hashes the shared point and both encodings: BIP-324's v2_ecdh
//
// An encoding is a pair (u, t) of field elements, 32 bytes each, big-endian. Any 64 bytes are one:
// there is nothing to validate, and no bytes from a peer make an error. Numbers of p or more are
// reduced modulo p. Some 2²⁵⁶ pairs encode each key; which one Encode chooses is random. BIP-324
// uses the x coordinate alone; as in libsecp256k1, the y coordinate of the key is odd if t is.
// batch.EllswiftRows decodes many encodings.
//
// # What is proven
//
// The map from pairs to x coordinates is that of Chavez-Saab, Rodríguez-Henríquez and Tibouchi
// ("SwiftEC: Shallue–van de Woestijne Indifferentiable Function To Elliptic Curves", ePrint
// 2022/759). They prove that a uniformly random preimage of a uniformly random point is
// statistically close to a uniformly random pair. So an encoding of a fresh key is
// indistinguishable from random bytes, also for someone who can compute discrete logarithms. The
// secret is as hard to compute as the Diffie-Hellman problem on this curve, in the model in which
// the hash is a random oracle. The encodings are hashed too, so that a party who changes the
// encoding, but not the key, gets another secret.
//
// The point at infinity has no x coordinate, and so no encoding. The curve's order is prime: every
// encoding stands for a generator, and no peer can force the shared point into a small subgroup or
// to infinity.
//
// Nothing here authenticates. A peer in the middle can run the handshake with both parties. BIP-324
// has users compare session ids for that reason.
//
// # What a caller must not do
//
//   - Encode a key that the observer knows, or encode one key twice with different
//     randomness, and expect to hide: anyone decodes both to the same key. Make a key
//     for each handshake.
//   - Pass constant randomness to Encode: then anyone who knows the key can compute
//     the encoding.
//   - Pass other bytes to SharedSecret than those that were sent and received. Two
//     encodings of one key give different secrets.
//   - Take the same role on both sides. The secrets then differ.
//   - Compare encodings to find equal keys. Decode them.
//   - Use the secret as a key of a cipher. Derive keys from it with a KDF such as HKDF.
package ellswift
