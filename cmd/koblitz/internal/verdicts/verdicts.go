// Package verdicts writes what became of each signature to a file: JSONL, CSV or Parquet.
//
// A file is written under a temporary name beside its own. Commit brings it to the disk and
// renames it, so that a file that bears its name is whole. A long run can write several, one
// after the other: each is a Part of its own, and whatever names a part in a state may do so
// once Commit has returned.
package verdicts

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
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

// Files are the operations on files that a Part needs. Disk has those of the system.
type Files interface {
	Create(name string) (File, error) // a new one; an error if it exists
	Rename(from, to string) error
	Remove(name string) error
	// SyncFolder brings the names in the folder of name to the disk.
	SyncFolder(name string) error
}

// A File is a file that is being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// A Part is a file of verdicts that is being written.
type Part struct {
	name, temporary string
	files           Files
	file            File
	buf             *bufio.Writer
	encoder         encoder
	err             error // the first one; nothing is written after it
	done            bool
}

// Temporary is the name under which a file is written. token is a part of it.
func Temporary(name, token string) string {
	folder, base := filepath.Split(name)
	return filepath.Join(folder, "."+base+"."+token+".tmp")
}

// Create begins a file that will be called name. The file that bears the name stays until
// Commit.
func Create(name string, format Format, files Files) (*Part, error) {
	return CreateAs(name, Temporary(name, rand.Text()[:10]), format, files)
}

// CreateAs is Create with a temporary name.
func CreateAs(name, temporary string, format Format, files Files) (*Part, error) {
	p := &Part{name: name, temporary: temporary, files: files}
	var err error
	if p.file, err = files.Create(p.temporary); err != nil {
		return nil, err
	}
	p.buf = bufio.NewWriterSize(p.file, 256<<10)
	switch format {
	case JSONL:
		p.encoder = &jsonEncoder{out: p.buf}
	case CSV:
		p.encoder, err = newCSV(p.buf)
	case Parquet:
		p.encoder, err = newParquet(p.buf)
	default:
		err = fmt.Errorf("unknown format %q", format)
	}
	if err != nil {
		return nil, errors.Join(err, p.Discard())
	}
	return p, nil
}

// Failed is a part that could not be begun: its Write and Commit return err.
func Failed(err error) *Part { return &Part{err: err, done: true} }

// Name is the name that the file will have.
func (p *Part) Name() string { return p.name }

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
	if p.done {
		return p.err
	}
	if err := p.Finish(); err != nil {
		return err
	}
	if err := p.files.Rename(p.temporary, p.name); err != nil {
		p.files.Remove(p.temporary)
		return err
	}
	return p.files.SyncFolder(p.name)
}

// Finish is Commit without the name: the file is complete on the disk, and keeps its temporary
// name.
func (p *Part) Finish() error {
	if p.done {
		return p.err
	}
	for _, step := range []func() error{
		func() error { return p.err },
		p.encoder.close,
		p.buf.Flush,
		p.file.Sync,
	} {
		if err := step(); err != nil {
			return errors.Join(err, p.Discard())
		}
	}
	p.done = true
	if err := p.file.Close(); err != nil {
		p.files.Remove(p.temporary)
		return err
	}
	return nil
}

// Discard removes the file, unless Commit has been called.
func (p *Part) Discard() error {
	if p.done {
		return nil
	}
	p.done = true
	return errors.Join(p.file.Close(), p.files.Remove(p.temporary))
}

// Disk is the system's files.
type Disk struct{}

func (Disk) Create(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }
func (Disk) Remove(name string) error     { return os.Remove(name) }

// SyncFolder does nothing where a folder cannot be synced, as on Windows.
func (Disk) SyncFolder(name string) error {
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return nil
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) &&
		!os.IsPermission(err) && !unsyncable(err) {
		return err
	}
	return nil
}
