package verdicts

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Files are the operations on files that a Pending needs. Disk has those of the system.
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

// A Pending is a file that is being written under a temporary name. Commit gives it its own.
type Pending struct {
	name, temporary string
	files           Files
	file            File
	buf             *bufio.Writer // whose first error stays
	done            bool
}

// NewPending begins a file that will be called name. The file that bears the name stays until
// Commit.
func NewPending(name string, files Files) (*Pending, error) {
	return newPending(name, temporaryName(name, anyToken()), files)
}

// temporaryName is the name under which a file is written. token is a part of it.
func temporaryName(name, token string) string {
	folder, base := filepath.Split(name)
	return filepath.Join(folder, "."+base+"."+token+".tmp")
}

func anyToken() string { return rand.Text()[:10] }

func newPending(name, temporary string, files Files) (*Pending, error) {
	p := &Pending{name: name, temporary: temporary, files: files}
	var err error
	if p.file, err = files.Create(p.temporary); err != nil {
		return nil, err
	}
	p.buf = bufio.NewWriterSize(p.file, 256<<10)
	return p, nil
}

// Write appends to the file. After an error nothing more is written, and Commit returns the error
// too.
func (p *Pending) Write(b []byte) (int, error) { return p.buf.Write(b) }

// Commit brings the file to the disk and gives it its name. If it returns an error the temporary
// file is gone, and the file that bore the name before is as it was.
func (p *Pending) Commit() error {
	if p.done {
		return nil
	}
	if err := p.finish(); err != nil {
		return err
	}
	if err := p.files.Rename(p.temporary, p.name); err != nil {
		p.files.Remove(p.temporary)
		return err
	}
	return p.files.SyncFolder(p.name)
}

// finish is Commit without the name: the file keeps its temporary one.
func (p *Pending) finish() error {
	if p.done {
		return nil
	}
	err := p.buf.Flush()
	if err == nil {
		err = p.file.Sync()
	}
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	p.done = true
	if err := p.file.Close(); err != nil {
		p.files.Remove(p.temporary)
		return err
	}
	return nil
}

// Discard removes the file, unless Commit has been called.
func (p *Pending) Discard() error {
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
