// Package verdicts writes the verdict on each signature to a file: JSONL or CSV.
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
	JSONL Format = "jsonl" // one object per line; fields that do not apply are left out
	CSV   Format = "csv"   // RFC 4180 with a header; fields that do not apply are empty
)

// FormatOf returns the format that the extension of name selects.
func FormatOf(name string) (Format, error) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonl", ".ndjson":
		return JSONL, nil
	case ".csv":
		return CSV, nil
	}
	return "", fmt.Errorf("%q ends in neither .jsonl nor .csv", name)
}

// A Writer writes verdicts.
type Writer struct {
	out  *bufio.Writer
	csv  *csv.Writer      // writes to out; nil for JSONL
	line []byte           // reused for each row
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
	w := Append(file.Writer, format, false)
	w.file = file
	return w, nil
}

// Append returns a Writer that writes to out, which the caller flushes. If begun is set, the
// beginning of the file has already been written.
func Append(out *bufio.Writer, format Format, begun bool) *Writer {
	w := &Writer{out: out}
	if format == CSV {
		w.csv = csv.NewWriter(out)
		if !begun {
			w.err = w.csv.Write(names())
		}
	}
	return w
}

// Write adds a row to the file. After an error nothing more is written, and Commit returns the
// error.
func (w *Writer) Write(r *verify.Row) error {
	switch {
	case w.err != nil:
	case w.csv != nil:
		w.err = w.csv.Write(fields(r))
	default:
		w.line = append(AppendJSON(w.line[:0], r), '\n')
		_, w.err = w.out.Write(w.line)
	}
	return w.err
}

// Commit completes the file. It makes a file that Create has created durable, and renames it to its
// final name. If that fails, Commit removes the temporary file, and an existing file with the final
// name stays unchanged.
func (w *Writer) Commit() error {
	if w.err == nil && w.csv != nil {
		w.csv.Flush()
		w.err = w.csv.Error()
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
