package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// tableHelp describes tables in the help of check and of stream.
const tableHelp = `Tables (--columns):
  --columns hash=NAME,key=NAME,signature=NAME says which columns hold what; hash
  alone means hash=hash. A message instead of the hash makes the rows BIP-340, and
  without a key the signer is recovered: --format columns-… says it in words.
    hash, message     32 bytes
    key, pubkey       ECDSA 33 or 65 bytes, BIP-340 32
    signature, sig    ECDSA 64 bytes r‖s or DER, BIP-340 64, recovery 65 r‖s‖v with v
                      from 0 to 3 or from 27 to 30
    sender, address   recovery: 20 bytes, compared with what is recovered; a key
                      instead is compared too
  Parquet, JSON (one object a line) and CSV with a header are told apart by content.
  Text is hex, with 0x or without, or base64; --encoding says which. A cell that is
  null, of another type or length makes its row malformed.`

// tableFormats maps each format that is allowed with --columns to the signature scheme of its rows.
var tableFormats = map[format]rows.Scheme{
	formatAuto:           0,
	formatColumnsECDSA:   rows.ECDSA,
	formatColumnsBIP340:  rows.Schnorr,
	formatColumnsRecover: rows.Recover,
}

// tableOptions holds the flags about tables.
type tableOptions struct {
	columns  []string
	encoding string

	spec columns.Spec // columns of the table; set by parse
}

func (t *tableOptions) addFlags(cmd *cobra.Command) {
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

// asked reports whether the flags say that the inputs are tables.
func (t *tableOptions) asked() bool { return len(t.columns) > 0 }

// parse checks the flags and sets spec. f is the value of --format.
func (t *tableOptions) parse(f format) error {
	scheme, fits := tableFormats[f]
	switch {
	case !t.asked() && fits && scheme != 0:
		return cli.Usagef("--format %s needs --columns", f)
	case !t.asked() && t.encoding != string(columns.Auto):
		return cli.Usagef("--encoding goes with --columns")
	case !t.asked():
		return nil
	case !fits:
		return cli.Usagef("--columns does not go with --format %s", f)
	}
	encoding := columns.Encoding(t.encoding)
	if err := cli.Known("encoding %q", encoding, columns.Encodings...); err != nil {
		return err
	}
	var err error
	if t.spec, err = columns.ParseSpec(t.columns, scheme, encoding); err != nil {
		return cli.Usagef("--columns: %w", err)
	}
	return nil
}

// format returns the name of the table's format in the report.
func (t *tableOptions) format() format {
	for f, scheme := range tableFormats {
		if scheme == t.spec.Scheme {
			return f
		}
	}
	return formatAuto
}

// table returns a reader for a table. It detects the kind of table from the beginning of the file.
func (s *sources) table(name string, in *input.Input, src rows.Source) (rows.Reader, error) {
	head, err := in.Head()
	if err != nil {
		return nil, err
	}
	parquet := bytes.HasPrefix(head, []byte(parquetfile.Magic))
	jsonl := bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	if len(head) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", in.Name)
	}
	if src.From = s.place(); src.From != nil && !parquet {
		if err := in.Skip(src.From.Offset); err != nil {
			return nil, err
		}
	}
	s.report.opened(s.o.table.format(), "")
	if err := noTable(columns.DetectBinary(head)); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	open := columns.CSV
	switch {
	case parquet && s.valid != nil:
		return nil, cli.Usagef("%s: --keep does not go with Parquet: its rows are no lines", in.Name)
	case parquet:
		return s.parquet(name, in, src)
	case jsonl:
		open = columns.JSONL
	}
	r, err := open(src, s.o.table.spec)
	if err == nil {
		err = s.valid.table(in.Name, r)
	}
	return r, err
}

// noTable returns an error that tells the user what to do with an Arrow file or stream, which the
// command check does not read. For other kinds it returns nil.
func noTable(kind columns.Kind) error {
	switch kind {
	case columns.KindFeather:
		return fmt.Errorf("this is %s, which check does not read: write it as Parquet, or as a stream "+
			"of Arrow for 'koblitz stream'", kind)
	case columns.KindStream:
		return fmt.Errorf("this is %s: 'koblitz stream --columns …' reads it from standard input", kind)
	}
	return nil
}

// unnamed returns an error if the input looks like a table and --columns is missing.
func unnamed(name string, in *input.Input, head []byte) error {
	kind, names := columns.Detect(head, func(name string) bool {
		switch name { // these are fields of events, of JSON-RPC, and of blocks and transactions
		case "kind", "created_at", "content", "tags", "result", "jsonrpc", "vin", "transactions":
			return true
		}
		return false
	})
	if kind == "" {
		return nil
	}
	if err := noTable(kind); err != nil {
		return err
	}
	if kind == columns.KindParquet && in.Compression == input.None && in.Size >= 0 {
		if f, err := os.Open(name); err == nil {
			names, _ = parquetfile.Columns(f, in.Size) // names may be nil
			f.Close()
		}
	}
	text := fmt.Sprintf("this looks like a table (%s): say what its columns hold, as in "+
		"'koblitz check %s FILE'", kind, columns.Example(names))
	if len(names) > 0 {
		text += "; there are " + columns.Listed(names)
	}
	return errors.New(text)
}

// parquet opens the file again for random access, which Parquet needs.
func (s *sources) parquet(name string, in *input.Input, src rows.Source) (rows.Reader, error) {
	if in.Compression != input.None || in.Size < 0 {
		return nil, fmt.Errorf("%s: Parquet is read from a file that is not packed, as it is read "+
			"from its end", in.Name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	src.Consumed, src.Before = nil, s.before
	r, err := parquetfile.Open(src, f, in.Size, s.o.table.spec)
	if err != nil {
		f.Close()
		return nil, err
	}
	return parquetFile{r, f}, nil
}

// A parquetFile is a reader of a Parquet table. Closing it also closes the file.
type parquetFile struct {
	rows.Reader
	file io.Closer
}

func (p parquetFile) Close() error { return errors.Join(p.Reader.Close(), p.file.Close()) }
