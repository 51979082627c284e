// Package verdicts writes the verdict on each signature to a file: JSONL, CSV or Parquet.
//
// Each file is written under a temporary name in the same folder. Commit makes the file durable and
// renames it, so that a file with the final name is complete. A long run can write several files,
// each a Part. Once Commit has returned, a state file may refer to the part.
package verdicts

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
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
	row(*check.Row) error
	close() error // writes rows that are still buffered
}

// A Part is a file of verdicts being written. If the file could not be created, out is nil and err
// is the error.
type Part struct {
	out     *Pending
	encoder encoder
	err     error // the first error; nothing is written after the error
}

// Create creates a part (file of verdicts) under a temporary name. Commit will rename it to name.
// Until then, an existing file called name stays.
func Create(name string, format Format, files Files) (*Part, error) {
	return createAs(name, temporaryName(name, anyToken()), format, files)
}

// createAs is like Create, but the caller chooses the temporary name.
func createAs(name, temporary string, format Format, files Files) (*Part, error) {
	out, err := newPending(name, temporary, files)
	if err != nil {
		return nil, err
	}
	p := &Part{out: out}
	switch format {
	case JSONL:
		p.encoder = &jsonEncoder{out: out.buf}
	case CSV:
		p.encoder, err = newCSV(out.buf)
	case Parquet:
		p.encoder, err = newParquet(out.buf)
	default:
		err = fmt.Errorf("unknown format %q", format)
	}
	if err != nil {
		return nil, errors.Join(err, p.Discard())
	}
	return p, nil
}

// Write adds a row to the file. After an error nothing more is written, and Commit returns the
// error.
func (p *Part) Write(r *check.Row) error {
	if p.err == nil {
		p.err = p.encoder.row(r)
	}
	return p.err
}

// Commit completes the file, makes it durable and renames it to its final name. If that fails,
// Commit removes the temporary file, and an existing file with the final name stays unchanged.
func (p *Part) Commit() error {
	if p.err == nil && !p.out.done {
		p.err = p.encoder.close()
	}
	if p.err != nil {
		return errors.Join(p.err, p.Discard())
	}
	return p.out.Commit()
}

// Finish completes the file and makes it durable like Commit, but does not rename it.
func (p *Part) Finish() error {
	if p.err == nil && !p.out.done {
		p.err = p.encoder.close()
	}
	if p.err != nil {
		return errors.Join(p.err, p.Discard())
	}
	return p.out.finish()
}

// Discard removes the file. After Commit it does nothing.
func (p *Part) Discard() error {
	if p.out == nil {
		return nil
	}
	return p.out.Discard()
}
