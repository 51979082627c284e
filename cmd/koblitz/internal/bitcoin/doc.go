// Package bitcoin reads files of Bitcoin blocks for the check command and finds every signature in
// them. Package nodejson, in a folder of this one, reads blocks and transactions in JSON.
//
// # Inputs
//
//   - RawBlock reads one serialized block, binary or hex. The outputs that the block spends are in
//     a file beside it (package prevouts).
//   - Directory reads Bitcoin Core's folder blocks, or any part of it. It finds the spent outputs
//     in the rev*.dat files. It can also return single blocks with the outputs that they spend.
//
// # Judging inputs
//
// The module github.com/koblitz-go/koblitz/bitcoin judges inputs, by Bitcoin Core's rules. An input
// of a plain kind becomes one rows.Unit with the digests that its signatures sign. Any other input
// runs in the script engine of github.com/btcsuite/btcd/txscript. The verdict is EngineChecked,
// Invalid with the engine's reason, or Unsigned if the script accepts the input without a valid
// signature. An input is NotCheckable if an output that it needs is unknown.
//
// # Checking blocks
//
// If a transaction of a block was left out, added or changed, the block gets the verdict Malformed.
// To detect that, this package checks the header's proof of work, the Merkle root, the witness
// commitment, the coinbase and its height, and in JSON every field that repeats a fact. It refuses
// a header that no block of the network can have.
//
// # What is not checked
//
//   - Whether a block is in the chain with the most work, and whether its difficulty is right for
//     its height.
//   - Amounts, sizes, subsidies, time stamps, lock times of transactions, and signet's solution.
//   - Whether the spent outputs that a file states are the real ones, and whether an output is
//     spent only once.
package bitcoin
