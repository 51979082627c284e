package flags

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

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
var tableFormats = map[Format]rows.Scheme{
	Auto:           0,
	ColumnsECDSA:   rows.ECDSA,
	ColumnsBIP340:  rows.Schnorr,
	ColumnsRecover: rows.Recover,
}

// Table holds the flags about tables.
type Table struct {
	columns  []string
	encoding string

	Spec columns.Spec // columns of the table; set by Parse
}

// AddTo adds the flags to a command.
func (t *Table) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&t.columns, "columns", nil,
		"the files are tables, with these `COLUMNS`,\nsee 'koblitz help formats'")
	f.StringVar(&t.encoding, "encoding", string(columns.Auto),
		"how columns hold bytes: auto, hex, base64, or binary (Parquet and Arrow)")
	var roles []string
	for _, r := range columns.RoleNames() {
		roles = append(roles, r+"=")
	}
	cli.Complete(cmd, "encoding", cli.Strings(columns.Encodings))
	cli.Complete(cmd, "columns", roles)
}

// Asked reports whether the flags say that the inputs are tables.
func (t *Table) Asked() bool { return len(t.columns) > 0 }

// Parse checks the flags and sets Spec. f is the value of --format.
func (t *Table) Parse(f Format) error {
	scheme, fits := tableFormats[f]
	switch {
	case !t.Asked() && fits && scheme != 0:
		return cli.Usagef("--format %s needs --columns", f)
	case !t.Asked() && t.encoding != string(columns.Auto):
		return cli.Usagef("--encoding goes with --columns")
	case !t.Asked():
		return nil
	case !fits:
		return cli.Usagef("--columns does not go with --format %s", f)
	}
	encoding := columns.Encoding(t.encoding)
	if err := cli.Known("encoding %q", encoding, columns.Encodings...); err != nil {
		return err
	}
	var err error
	if t.Spec, err = columns.ParseSpec(t.columns, scheme, encoding); err != nil {
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
