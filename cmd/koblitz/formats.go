package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/nostr"
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
	{formatBitcoin, "one of the next three, by content"},
	{formatBlockJSON, "blocks as 'bitcoin-cli getblock HASH 3' prints them, or as the node answers"},
	{formatBitcoinTx, "transactions as 'bitcoin-cli getrawtransaction TXID 2' prints them"},
	{formatBlockRaw, "a serialized block, binary or hex, with --spent FILE"},
	{formatCore, "a node's folder blocks: blk*.dat, rev*.dat, xor.dat; --from, --to"},
	{formatEthereum, "one of the next three, by content"},
	{formatEthereumJSON, "answers to eth_getBlockByNumber with full transactions"},
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

// hasBlocks reports whether the inputs of a format are blocks, whose headers have the root of all
// their transactions.
func (f format) hasBlocks() bool {
	return f.isBitcoin() && f != formatBitcoinTx || f.isEthereum() && f != formatEthereumTx
}

func formatNames() (names []format) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

var errUnknownFormat = errors.New("the format is not recognized")

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
		return format(f), nil
	}
	if f, ok := ethereum.Detect(head); ok && want != formatBitcoin {
		return format(f), nil
	}
	switch looks := appearance(head); {
	case want == formatBitcoin:
		return "", fmt.Errorf("neither a block, a file of blocks nor a transaction: this looks like %s",
			looks)
	case want == formatEthereum:
		return "", fmt.Errorf("neither a block in JSON or in RLP nor a transaction in JSON: this looks "+
			"like %s", looks)
	case nostr.Detect(head):
		return formatNostr, nil
	default:
		return "", fmt.Errorf("%w: this looks like %s; name it with --format (packed rows always need "+
			"that), or the columns of a table with --columns", errUnknownFormat, looks)
	}
}

// appearance describes an input that begins with head and is in none of the formats.
func appearance(head []byte) string {
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		return "text after a byte order mark (three bytes, which JSON begins without)"
	}
	for o := range jsonfile.Outline(head) {
		switch {
		case o.Cut && len(o.Fields) == 0:
			continue
		case o.Has(""):
			return "JSON, but no object or list of objects"
		case o.Has("method"):
			return "a call of JSON-RPC, not an answer"
		case o.Has("jsonrpc") || o.Has("result"):
			return "an answer of JSON-RPC, but to none of 'getblock HASH 3', 'getrawtransaction TXID 2', " +
				"eth_getBlockByNumber and eth_getTransactionByHash"
		}
		var names []string
		for _, f := range o.Fields {
			names = append(names, f.Name)
		}
		return "JSON of another kind, with " + cmp.Or(columns.Listed(names), "no field")
	}
	text := strings.ToValidUTF8(string(head), "")
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return "text in UTF-16"
	case len(text) < len(head)-utf8.UTFMax || strings.ContainsFunc(text, isControl):
		return "binary data"
	case isHex(bytes.TrimPrefix(head, []byte("0x"))):
		return "hexadecimal digits"
	}
	return "text"
}

func isControl(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
