// Package musig2 has the types and functions of
// github.com/btcsuite/btcd/btcec/v2/schnorr/musig2 (MuSig2, BIP-327), computed by koblitz.
//
// It is not for direct use, and promises nothing about versions: the module in
// compat/btcec/v2 consists of aliases of it, of its neighbours and of compat/impl/secp256k1,
// under the path that programs import.
//
// Names, arguments, results and errors are those of version 2.5.1. Keys are sorted in place, for
// example. Differences:
//
//   - Everything that is computed with private keys and secret nonces takes a time that does not
//     depend on them, and leaves no copies but those that callers hold.
//   - The check at the end of [Sign] takes the challenge as it was signed, instead of deriving it
//     once more.
//   - A key that is not on the curve adds nothing to an aggregated key. A taproot tweak of
//     infinity does not panic.
//   - [Session.Sign] overwrites the secret nonces of the [Nonces] that the session was given.
package musig2
