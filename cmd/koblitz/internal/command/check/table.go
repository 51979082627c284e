package check

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/input"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

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
	s.report.opened(s.o.table.Format(), "")
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
	r, err := open(src, s.o.table.Spec)
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
	r, err := parquetfile.Open(src, f, in.Size, s.o.table.Spec)
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
