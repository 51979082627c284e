// Package bitcoin reads files of Bitcoin blocks for the check command and takes
// every signature out of them. Package nodejson below it reads blocks and
// transactions in JSON.
//
// # Inputs
//
//   - RawBlock: one serialized block, binary or hex, with its spent outputs in
//     a file beside it (package prevouts).
//   - Chain: blk*.dat files from the first block on. The spent outputs are
//     found in the files themselves.
//   - Directory: the folder blocks of Bitcoin Core, any part of it. The spent
//     outputs are found in its rev*.dat files.
//
// A Directory also gives single blocks with what they spend.
//
// # What is judged, and by whom
//
// An input of a plain kind (P2PK, P2PKH, multisig, each of them bare, in P2SH,
// P2WSH or P2SH-P2WSH; P2WPKH, also in P2SH; taproot key path) becomes one
// rows.Unit with the digests that its signatures sign. Everything that makes a
// plain script fail apart from the signatures themselves (a wrong key hash, a
// missing item) is judged here. Every input of another shape runs in the
// script engine of github.com/btcsuite/btcd/txscript and comes out as
// EngineChecked, or Invalid with the engine's reason, or as Unsigned if the
// script accepts it without a valid signature. An input that neither can judge,
// because an output it needs is not known, is NotCheckable.
//
// The rules are Bitcoin Core's: BIP 66 (strict DER), BIP 65, BIP 112 and BIP 147
// from the network's heights on, BIP 16 (P2SH), BIP 141/143 (segwit) and BIP
// 341/342 (taproot) for every block but three. High s is valid at every height.
//
// # What is compared
//
// No transaction can be left out, put in or changed without a Malformed verdict
// on its block: the header's proof of work, the Merkle root, the witness
// commitment, the coinbase and its height, and in JSON every field that says
// the same a second time. A header that no block of the network can have is
// refused, with the networks that it fits.
//
// # What is not
//
// That a block is in the chain that most work was done on; that its difficulty
// is the one due at its height; amounts, sizes, subsidies, time stamps, lock
// times of transactions, signet's solution; that what a file says about spent
// outputs is so (a Chain finds them itself); that an output is spent once only.
package bitcoin
