// Package bitcoin verifies the scripts and signatures of Bitcoin's blocks and transactions, for the
// types of github.com/btcsuite/btcd. It replaces the script engine's calls in a node or an indexer:
// [VerifyBlock] verifies a block, and [VerifyTx] a transaction.
//
// Inputs of plain kinds need no script engine. The plain kinds are P2PK, P2PKH and multisig, each
// bare or in P2SH, P2WSH or P2SH-P2WSH; P2WPKH, also in P2SH; key path spends of taproot, and
// script paths with a script that checks one signature and otherwise carries data, as inscriptions
// do. The signatures and commitments of all plain inputs are verified together, with package batch.
// Any other input runs in btcd's script engine. The result is the same as if the engine had run
// every input, except that before BIP 66 the engine refuses some encodings of signatures that the
// chain accepts, and that inputs whose scripts can check very many signatures are not run: see
// [ErrNotCheckable].
//
// The rules are Bitcoin Core's, for each height of each network: see [RulesAt].
//
// [PublicTweak] finds the public keys of a transaction's inputs and returns the point from which
// receivers of silent payments (BIP-352) compute the shared secret.
//
// [Judge] serves programs that verify signatures in batches of their own, over many blocks: it
// returns the keys, the signatures and the digests of an input.
//
// Blocks, transactions and outputs must not change during a call. As in btcd, scripts are hashed
// after they are parsed.
package bitcoin
