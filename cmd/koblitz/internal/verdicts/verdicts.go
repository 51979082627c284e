// Package verdicts writes the verdict on each signature to a file: JSONL or CSV.
package verdicts

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"

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

// A Writer writes verdicts to a buffer. If a write fails, the buffer returns the error again, also
// when it is flushed.
type Writer struct {
	out  *bufio.Writer
	csv  *csv.Writer // writes to out, without a buffer of its own; nil for JSONL
	line []byte      // reused for each row
}

// NewWriter returns a Writer that writes to out, which the caller flushes. If begun is set, the
// beginning of the file has already been written.
func NewWriter(out *bufio.Writer, format Format, begun bool) *Writer {
	w := &Writer{out: out}
	if format == CSV {
		w.csv = csv.NewWriter(out)
		if !begun {
			w.csv.Write(names())
		}
	}
	return w
}

// Write writes r, as one row for each signature.
func (w *Writer) Write(r *verify.Row) (err error) {
	each := *r
	for i := range max(1, r.Count) {
		if r.Count > 1 {
			each.Signature = i + 1
		}
		if w.csv != nil {
			err = w.csv.Write(fields(&each))
		} else {
			w.line = append(AppendJSON(w.line[:0], &each), '\n')
			_, err = w.out.Write(w.line)
		}
	}
	return err
}
