// Package bitcoin reads Bitcoin blocks for the check command and takes every
// signature out of them.
//
// # Inputs
//
//   - GetBlock: blocks as Bitcoin Core's "getblock HASH 3" prints them.
//   - RawBlock: one serialized block, binary or hex, with its spent outputs in
//     a file beside it (see WriteSpent for the form).
//   - Chain: blk*.dat files from the first block on. The spent outputs are
//     found in the files themselves.
//
// # What is judged, and by whom
//
// An input of a plain kind (P2PK, P2PKH, multisig, each of them bare, in P2SH,
// P2WSH or P2SH-P2WSH; P2WPKH, also in P2SH; taproot key path) becomes one
// rows.Unit with the digests that its signatures sign. Everything that makes a
// plain script fail apart from the signatures themselves (a wrong key hash, a
// missing item) is judged here. Every input of another shape runs in the
// script engine of github.com/btcsuite/btcd/txscript and comes out as
// EngineChecked, or Invalid with the engine's reason. An input that neither can
// judge, because an output it needs is not known, is NotCheckable.
//
// The rules are those of the block's height and time: BIP 16 (P2SH), BIP 66
// (strict DER), BIP 65, BIP 112, BIP 141/143/147 (segwit) and BIP 341/342
// (taproot). High s is valid at every height.
//
// Nothing else about a block is checked: not its work, its amounts, or that an
// output is spent once only. A Chain compares Merkle roots, but only to say
// which block is damaged when an output cannot be found.
package bitcoin
