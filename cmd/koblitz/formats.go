package main

import (
	"bytes"
	"errors"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/state"
)

// A format is a value of --format.
type format string

const (
	formatAuto         format = "auto"
	formatBitcoin      format = "bitcoin"
	formatBlockJSON           = format(bitcoin.FormatGetBlock)
	formatBitcoinTx           = format(bitcoin.FormatTransactions)
	formatBlockRaw            = format(bitcoin.FormatRawBlock)
	formatBlk                 = format(bitcoin.FormatBlkFile)
	formatCore         format = "bitcoin-core"
	formatEthereum     format = "ethereum"
	formatEthereumJSON        = format(ethereum.FormatJSON)
	formatEthereumTx          = format(ethereum.FormatTransactions)
	formatEthereumRLP         = format(ethereum.FormatRLP)
	formatNostr        format = "nostr"
	formatPackedBIP340 format = "packed-bip340"
	formatPackedECDSA  format = "packed-ecdsa"

	formatColumnsECDSA   format = "columns-ecdsa"
	formatColumnsBIP340  format = "columns-bip340"
	formatColumnsRecover format = "columns-recover"
)

// formats lists all formats, in the order of the help text.
var formats = []struct {
	name format
	what string
}{
	{formatAuto, "found by content (never packed rows)"},
	{formatBitcoin, "one of the next four, by content"},
	{formatBlockJSON, "blocks as 'bitcoin-cli getblock HASH 3' prints them, or as the node answers"},
	{formatBitcoinTx, "transactions as 'bitcoin-cli getrawtransaction TXID 2' prints them"},
	{formatBlockRaw, "a serialized block, binary or hex, with FILE.spent or --spent"},
	{formatBlk, "blk*.dat of a node, in order from blk00000.dat on"},
	{formatCore, "a node's folder blocks: blk*.dat, rev*.dat, xor.dat; --from, --to"},
	{formatEthereum, "one of the next three, by content"},
	{formatEthereumJSON, "answers to eth_getBlockByNumber with full transactions; beacon blocks"},
	{formatEthereumTx, "answers to eth_getTransactionByHash and eth_getRawTransactionByHash"},
	{formatEthereumRLP, "blocks in RLP, as 'geth export' writes them"},
	{formatNostr, `events one a line, bare or as ["EVENT", …], or in JSON lists`},
	{formatPackedBIP340, "rows of 32 message, 32 key, 64 signature"},
	{formatPackedECDSA, "rows of 32 hash, 33 key, 64 signature r‖s"},
	{formatColumnsECDSA, "a table with --columns: hash, key and signature"},
	{formatColumnsBIP340, "a table with --columns: message, key and signature"},
	{formatColumnsRecover, "a table with --columns: hash and signature, and sender or key"},
}

func (f format) isBitcoin() bool  { return strings.HasPrefix(string(f), "bitcoin") }
func (f format) isEthereum() bool { return strings.HasPrefix(string(f), "ethereum") }

func formatNames() (names []format) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

var errUnknownFormat = errors.New("the format is not recognized; name it with --format (packed " +
	"rows always need that), or the columns of a table with --columns")

// detectFormat returns the format of an input that begins with head. If want is formatBitcoin or
// formatEthereum, it considers only the formats of that chain. Otherwise want must be formatAuto.
func detectFormat(head []byte, want format) (format, error) {
	if len(head) == 0 {
		return "", errors.New("the file is empty")
	}
	if state.IsState(head) {
		return "", errors.New("this is where a run with --state has saved how far it is, and no input")
	}
	if f, ok := bitcoin.Detect(head); ok && want != formatEthereum {
		if f == bitcoin.FormatSpent {
			return "", errors.New("these are the spent outputs of a block; name the block, and this file " +
				"with --spent")
		}
		return format(f), nil
	}
	if f, ok := ethereum.Detect(head); ok && want != formatBitcoin {
		return format(f), nil
	}
	switch {
	case want == formatBitcoin:
		return "", errors.New("neither a block, a file of blocks nor a transaction")
	case want == formatEthereum:
		return "", errors.New("neither a block in JSON or in RLP nor a transaction in JSON")
	case hasJSONLine(head):
		return formatNostr, nil
	}
	return "", errUnknownFormat
}

// hasJSONLine reports whether any line of head begins like a JSON object or array. So an input is
// recognized even if its first lines are not valid events.
func hasJSONLine(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		if bytes.HasPrefix(line, []byte("{")) || bytes.HasPrefix(line, []byte("[")) {
			return true
		}
	}
	return false
}
