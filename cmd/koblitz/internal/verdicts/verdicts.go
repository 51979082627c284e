// Package verdicts writes the verdict on each signature to a file: JSONL, CSV or Parquet.
package verdicts

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// A Format is a file format for verdicts.
type Format string

const (
	JSONL   Format = "jsonl"   // one object per line; fields that do not apply are left out
	CSV     Format = "csv"     // RFC 4180 with a header; fields that do not apply are empty
	Parquet Format = "parquet" // fields that do not apply are null
)

// FormatOf returns the format that the extension of name selects.
func FormatOf(name string) (Format, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonl", ".ndjson":
		return JSONL, nil
	case ".csv":
		return CSV, nil
	case ".parquet":
		return Parquet, nil
	}
	return "", fmt.Errorf("%q ends in none of .jsonl, .csv and .parquet", name)
}

// An encoder writes rows in one file format.
type encoder interface {
	row(*verify.Row) error
	close() error // writes rows that are still buffered
}

// A Writer writes verdicts.
type Writer struct {
	encoder
	file *durable.Pending // nil if the caller has created the file
	err  error            // the first error; nothing is written after the error
}

// Create creates a file of verdicts under a temporary name. Commit will rename it to name. Until
// then, an existing file called name stays.
func Create(disk durable.FS, name string, format Format) (*Writer, error) {
	file, err := durable.NewPending(disk, name)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: file}
	if w.encoder, err = newEncoder(file.Writer, format, false); err != nil {
		return nil, errors.Join(err, file.Discard())
	}
	return w, nil
}

// Append returns a Writer that writes to out, which the caller flushes. The format is not Parquet.
// If begun is set, the beginning of the file has already been written.
func Append(out *bufio.Writer, format Format, begun bool) (*Writer, error) {
	e, err := newEncoder(out, format, begun)
	return &Writer{encoder: e}, err
}

func newEncoder(out *bufio.Writer, format Format, begun bool) (encoder, error) {
	switch format {
	case JSONL:
		return &jsonEncoder{out: out}, nil
	case CSV:
		c := &csvEncoder{out: csv.NewWriter(out)}
		if begun {
			return c, nil
		}
		return c, c.header()
	case Parquet:
		return newParquet(out)
	}
	return nil, fmt.Errorf("unknown format %q", format)
}

// Write adds a row to the file. After an error nothing more is written, and Commit returns the
// error.
func (w *Writer) Write(r *verify.Row) error {
	if w.err == nil {
		w.err = w.row(r)
	}
	return w.err
}

// Commit completes the file. It makes a file that Create has created durable, and renames it to its
// final name. If that fails, Commit removes the temporary file, and an existing file with the final
// name stays unchanged.
func (w *Writer) Commit() error {
	if w.err == nil {
		w.err = w.close()
	}
	switch {
	case w.file == nil:
		return w.err
	case w.err != nil:
		return errors.Join(w.err, w.file.Discard())
	}
	return w.file.Commit()
}

// Discard removes a file that Create has created.
func (w *Writer) Discard() error {
	if w.file == nil {
		return nil
	}
	return w.file.Discard()
}
