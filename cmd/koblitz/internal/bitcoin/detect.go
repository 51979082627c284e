package bitcoin

import (
	"bytes"
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

// DetectSize is the number of bytes at the start of a file that Detect needs. If the file is
// shorter, Detect needs the whole file.
const DetectSize = 4096

// Detect returns the format of a file that starts with head. It recognizes a blk*.dat file unless
// it is obfuscated.
func Detect(head []byte) (f Format, ok bool) {
	if len(head) >= 8 {
		if _, ok := consensus.NetworkOf(head[:4]); ok {
			if n := binary.LittleEndian.Uint32(head[4:]); n > wireform.HeaderSize &&
				n <= wireform.MaxBlockSize {
				return FormatBlkFile, true
			}
		}
	}
	if isRawBlock(head) {
		return FormatRawBlock, true
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	if digits, _ := decodeHex(text); isRawBlock(digits) {
		return FormatRawBlock, true
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

// isRawBlock reports whether head begins with a header and a coinbase. A coinbase has one input,
// with an all-zero transaction hash and the output index ffffffff.
func isRawBlock(head []byte) bool {
	if len(head) <= wireform.HeaderSize {
		return false
	}
	b := head[wireform.HeaderSize:]
	switch b[0] { // first byte of the number of transactions
	case 0xfd:
		b = b[min(len(b), 3):]
	case 0xfe:
		b = b[min(len(b), 5):]
	default:
		b = b[1:]
	}
	b = b[min(len(b), 4):] // skip the version
	if len(b) >= 2 && b[0] == 0 && b[1] == 1 {
		b = b[2:] // skip the marker and flag of a witness
	}
	return len(b) >= 37 && b[0] == 1 && [32]byte(b[1:]) == [32]byte{} && binary.LittleEndian.Uint32(
		b[33:]) == 1<<32-1
}
