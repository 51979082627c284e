// Package adaptor makes adaptor signatures: signatures that are encrypted to a public key. The
// holder of the private key can decrypt them. A decrypted signature reveals the private key to
// every holder of the encrypted one. Protocols use them for swaps between chains, and for contracts
// with an outcome that an oracle signs.
//
// There are two forms. [Schnorr] becomes a BIP-340 signature. It has no published specification;
// the equations are those of Aumayr et al. (ePrint 2020/476, section 5) with the parities of
// BIP-340. [ECDSA] becomes an ECDSA signature, and follows the document "ECDSA adaptor signatures"
// of discreetlogcontracts/dlcspecs at commit 9cd91489.
//
// # What is proven
//
// Aumayr et al. prove both forms secure in the random oracle model, if the signature scheme is
// strongly unforgeable and the maker of the encryption key has proven that it knows the private
// key. An encrypted signature that verifies decrypts to a valid signature, and from both follows
// the private key.
//
// # What callers must not do
//
//   - Callers must not encrypt to a key without a proof that its maker knows the private key, such
//     as a signature by it.
//   - Callers must not use a signature that they have decrypted before they have verified it.
//   - Callers must not publish an ECDSA adaptor signature if the Diffie-Hellman secret of the
//     signing key and the encryption key matters: that secret can be computed from the encrypted
//     signature.
//   - Callers must not half-aggregate decrypted signatures if a key must be recovered from them.
//
// # Time
//
// The time of functions does not depend on private keys and nonces. It depends on public keys,
// messages and encrypted signatures.
package adaptor
