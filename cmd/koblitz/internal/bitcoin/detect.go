package bitcoin

import (
	"encoding/binary"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Format is a format of files that hold blocks or transactions.
type Format string

const (
	FormatGetBlock     Format = "bitcoin-json"  // blocks in JSON, read by nodejson.Blocks
	FormatRawBlock     Format = "bitcoin-block" // one block in binary or in hex, read by RawBlock
	FormatBlkFile      Format = "bitcoin-blk"   // a blk*.dat file, which only a Directory reads
	FormatTransactions Format = "bitcoin-tx"    // transactions in JSON, read by nodejson.Transactions
)

// Detect returns the format of a file that starts with head: 4 KiB, or the whole file. It
// recognizes a blk*.dat file unless it is obfuscated.
func Detect(head []byte) (f Format, ok bool) {
	if len(head) >= 8 {
		if _, ok := consensus.NetworkOf(head[:4]); ok {
			if n := binary.LittleEndian.Uint32(head[4:]); n > wireform.HeaderSize &&
				n <= wireform.MaxBlockSize {
				return FormatBlkFile, true
			}
		}
	}
	digits, _ := decodeHex(head)
	for _, block := range [][]byte{head, digits} {
		if _, ok := wireform.CoinbaseScript(block); ok {
			return FormatRawBlock, true
		}
	}
	for o := range reading.Outline(head, "result") {
		switch {
		case o.Has("hash", "merkleroot"):
			return FormatGetBlock, true
		case hasInputs(o.Text("vin")):
			f = FormatTransactions
		}
	}
	return f, f != ""
}

// hasInputs reports whether the list vin begins with an input as Bitcoin Core prints it. Other
// programs call the script of an input by other names.
func hasInputs(vin []byte) bool {
	for input := range reading.Outline(vin) {
		return input.Has("scriptSig") || input.Has("coinbase")
	}
	return false
}
