// Package verdicts writes what became of each signature to a file: JSONL, CSV or Parquet.
//
// A file is written under a temporary name beside its own. Commit brings it to the disk and
// renames it, so that a file that bears its name is whole. A long run can write several, one
// after the other: each is a Part of its own, and whatever names a part in a state may do so
// once Commit has returned.
package verdicts

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
)

// A Format is how a file of verdicts is written.
type Format string

const (
	JSONL   Format = "jsonl"   // one object a line; what does not apply is left out
	CSV     Format = "csv"     // RFC 4180 with a header; what does not apply is empty
	Parquet Format = "parquet" // what does not apply is null
)

// FormatOf is the format that the ending of a name stands for.
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

// An encoder writes rows in one format.
type encoder interface {
	row(*check.Row) error
	close() error // writes what is left
}

// A Part is a file of verdicts that is being written. If it could not be begun, out is nil and err
// says why.
type Part struct {
	out     *Pending
	encoder encoder
	err     error // the first one; nothing is written after it
}

// Create begins a file that will be called name. The file that bears the name stays until
// Commit.
func Create(name string, format Format, files Files) (*Part, error) {
	return createAs(name, temporaryName(name, anyToken()), format, files)
}

// createAs is Create with a temporary name.
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

// Write adds a row. After an error nothing more is written, and Commit returns the error too.
func (p *Part) Write(r *check.Row) error {
	if p.err == nil {
		p.err = p.encoder.row(r)
	}
	return p.err
}

// Commit finishes the file, brings it to the disk and gives it its name. If it returns an error
// the temporary file is gone, and what bore the name before is as it was.
func (p *Part) Commit() error {
	if p.err == nil && !p.out.done {
		p.err = p.encoder.close()
	}
	if p.err != nil {
		return errors.Join(p.err, p.Discard())
	}
	return p.out.Commit()
}

// Finish is Commit without the name: the file is complete on the disk, and keeps its temporary
// name.
func (p *Part) Finish() error {
	if p.err == nil && !p.out.done {
		p.err = p.encoder.close()
	}
	if p.err != nil {
		return errors.Join(p.err, p.Discard())
	}
	return p.out.finish()
}

// Discard removes the file, unless Commit has been called.
func (p *Part) Discard() error {
	if p.out == nil {
		return nil
	}
	return p.out.Discard()
}
