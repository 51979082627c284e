// Package flags has the flags that several subcommands share.
package flags

//ci:untested The tests of subcommands give the flags.

import (
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/packed"
)

// A Format is a value of --format.
type Format string

// These are the formats.
const (
	Auto         Format = "auto"
	Bitcoin      Format = "bitcoin"
	BlockJSON           = Format(bitcoin.FormatGetBlock)
	BitcoinTx           = Format(bitcoin.FormatTransactions)
	BlockRaw            = Format(bitcoin.FormatRawBlock)
	Blk                 = Format(bitcoin.FormatBlkFile)
	Core         Format = "bitcoin-core"
	Ethereum     Format = "ethereum"
	EthereumJSON        = Format(ethereum.FormatJSON)
	EthereumTx          = Format(ethereum.FormatTransactions)
	EthereumRLP         = Format(ethereum.FormatRLP)
	Nostr        Format = "nostr"
	PackedBIP340 Format = "packed-bip340"
	PackedECDSA  Format = "packed-ecdsa"

	ColumnsECDSA   Format = "columns-ecdsa"
	ColumnsBIP340  Format = "columns-bip340"
	ColumnsRecover Format = "columns-recover"
)

// Formats lists all Formats, in the order of the help text.
var Formats = []struct {
	Name Format
	What string
}{
	{Auto, "found by content (never packed rows)"},
	{Bitcoin, "one of the next three, by content"},
	{BlockJSON, "blocks as 'bitcoin-cli getblock HASH 3' prints them, or as the node answers"},
	{BitcoinTx, "transactions as 'bitcoin-cli getrawtransaction TXID 2' prints them"},
	{BlockRaw, "a serialized block, binary or hex, with --spent FILE"},
	{Core, "a node's folder blocks: blk*.dat, rev*.dat, xor.dat; --from, --to"},
	{Ethereum, "one of the next three, by content"},
	{EthereumJSON, "answers to eth_getBlockByNumber with full transactions"},
	{EthereumTx, "answers to eth_getTransactionByHash and eth_getRawTransactionByHash"},
	{EthereumRLP, "blocks in RLP, as 'geth export' writes them"},
	{Nostr, `events one a line, bare or as ["EVENT", …], or in JSON lists`},
	{PackedBIP340, "rows of 32 message, 32 key, 64 signature"},
	{PackedECDSA, "rows of 32 hash, 33 key, 64 signature r‖s"},
	{ColumnsECDSA, "a table with --columns: hash, key and signature"},
	{ColumnsBIP340, "a table with --columns: message, key and signature"},
	{ColumnsRecover, "a table with --columns: hash and signature, and sender or key"},
}

// IsBitcoin and IsEthereum report whether the format belongs to a chain.
func (f Format) IsBitcoin() bool  { return strings.HasPrefix(string(f), "bitcoin") }
func (f Format) IsEthereum() bool { return strings.HasPrefix(string(f), "ethereum") }

// HasBlocks reports whether the inputs of a format are blocks, whose headers have the root of all
// their transactions.
func (f Format) HasBlocks() bool {
	return f.IsBitcoin() && f != BitcoinTx || f.IsEthereum() && f != EthereumTx
}

// FormatNames returns the names of all formats.
func FormatNames() (names []Format) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// Packed maps each format of koblitz stream that is not a table to its layout of packed
// rows.
var Packed = map[Format]packed.Format{
	PackedBIP340: packed.BIP340,
	PackedECDSA:  packed.ECDSA,
}
