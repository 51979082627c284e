package verdicts

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Files has the file operations that a Pending needs. Disk implements it with the operating system.
type Files interface {
	Create(name string) (File, error) // fails if the file exists
	Rename(from, to string) error
	Remove(name string) error
	// SyncFolder makes the folder that contains name durable.
	SyncFolder(name string) error
}

// A File is a file being written.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// A Pending is a file that is written under a temporary name. Commit renames it to its final name.
type Pending struct {
	name, temporary string
	files           Files
	file            File
	buf             *bufio.Writer // after a write error, it returns that error again
	done            bool
}

// NewPending creates a temporary file. Commit will rename it to name. Until then, an existing file
// called name stays.
func NewPending(name string, files Files) (*Pending, error) {
	return newPending(name, temporaryName(name, anyToken()), files)
}

// temporaryName returns a temporary name, which contains token, for the file called name.
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

// Write appends b to the file. After an error nothing more is written, and Commit returns the
// error.
func (p *Pending) Write(b []byte) (int, error) { return p.buf.Write(b) }

// Commit makes the file durable and renames it to its final name. If that fails, Commit removes the
// temporary file, and an existing file with the final name stays unchanged.
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

// finish makes the file durable like Commit, but does not rename it.
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

// Discard removes the file. After Commit it does nothing.
func (p *Pending) Discard() error {
	if p.done {
		return nil
	}
	p.done = true
	return errors.Join(p.file.Close(), p.files.Remove(p.temporary))
}

// Disk implements Files with the operating system.
type Disk struct{}

func (Disk) Create(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }
func (Disk) Remove(name string) error     { return os.Remove(name) }

// SyncFolder makes the folder that contains name durable. If the system cannot sync folders, as on
// Windows, SyncFolder returns nil.
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
