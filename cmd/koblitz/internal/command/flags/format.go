// Package flags has the flags that several subcommands share.
package flags

//ci:untested The tests of subcommands give the flags.

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/ethereum"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/packed"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
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

// TableHelp describes tables in the help of check and of stream.
const TableHelp = `Tables (--columns):
  --columns hash=NAME,key=NAME,signature=NAME names the columns; hash alone means
  hash=hash. A message instead of the hash makes the rows BIP-340, and without a key
  the signer is recovered. --format columns-… says the same in words.
    hash, message     32 bytes
    key, pubkey       ECDSA 33 or 65 bytes, BIP-340 32
    signature, sig    ECDSA 64 bytes r‖s or DER, BIP-340 64, recovery 65 r‖s‖v with v
                      from 0 to 3 or from 27 to 30
    sender, address   recovery: 20 bytes, compared with the recovered address; so is
                      the address of a key
  Parquet, JSON (one object a line) and CSV with a header are told apart by content.
  Text is hex, with or without 0x, or base64; --encoding says which. A cell that is
  null, or of another type or length, makes its row malformed.`

// tableFormats maps each format that is allowed with --columns to the signature scheme of its rows.
var tableFormats = map[Format]reading.Scheme{
	Auto:           0,
	ColumnsECDSA:   reading.ECDSA,
	ColumnsBIP340:  reading.Schnorr,
	ColumnsRecover: reading.Recover,
}

// Table holds the flags about tables.
type Table struct {
	columns  []string
	encoding columns.Encoding

	Spec columns.Spec // columns of the table; set by Parse
}

// AddTo adds the flags to a command.
func (t *Table) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&t.columns, "columns", nil,
		"the files are tables, with these `COLUMNS`,\nsee 'koblitz help formats'")
	t.encoding = columns.Auto
	cli.Choice(cmd, &t.encoding, "encoding", "",
		"how columns hold bytes: auto, hex, base64, or binary (Parquet and Arrow)",
		columns.Encodings...)
}

// Asked reports whether the flags say that the inputs are tables.
func (t *Table) Asked() bool { return len(t.columns) > 0 }

// Parse checks the flags and sets Spec. f is the value of --format.
func (t *Table) Parse(f Format) error {
	scheme, fits := tableFormats[f]
	switch {
	case !t.Asked() && fits && scheme != 0:
		return cli.Usagef("--format %s needs --columns", f)
	case !t.Asked() && t.encoding != columns.Auto:
		return cli.Usagef("--encoding goes with --columns")
	case !t.Asked():
		return nil
	case !fits:
		return cli.Usagef("--columns does not go with --format %s", f)
	}
	var err error
	if t.Spec, err = columns.ParseSpec(t.columns, scheme, t.encoding); err != nil {
		return cli.Usagef("--columns: %w", err)
	}
	return nil
}

// Format returns the name of the table's format in the report.
func (t *Table) Format() Format {
	for f, scheme := range tableFormats {
		if scheme == t.Spec.Scheme {
			return f
		}
	}
	return Auto
}
