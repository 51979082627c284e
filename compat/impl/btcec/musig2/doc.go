// Package musig2 implements the types and functions of
// github.com/btcsuite/btcd/btcec/v2/schnorr/musig2 (MuSig2, BIP-327), with the arithmetic of
// koblitz.
//
// It is not for direct use, and promises no compatibility between versions: the module in
// compat/btcec/v2 consists of aliases for this package, its neighbours and compat/impl/secp256k1,
// under the path that programs import.
//
// Names, arguments, results and errors are those of version 2.5.1, and so are side effects such as
// sorting keys in place. Differences:
//
//   - The running time of all computations with private keys and secret nonces does not depend on
//     them, and no copies of them remain except those that callers hold.
//   - The check at the end of [Sign] uses the challenge that was signed, instead of deriving it
//     again. It detects faults of the machine in the key, in the nonce and in the computation. A
//     fault in the challenge gives an invalid partial signature, which reveals nothing about the
//     key if the nonce signs once.
//   - [GenNonces] reads all 32 random bytes, even if one call of Read returns fewer.
//   - A key that is not on the curve adds nothing to an aggregated key. A taproot tweak of
//     infinity does not panic.
//   - [Session.Sign] overwrites the secret nonces of the [Nonces] that the session was given.
package musig2
