package durable

import (
	"bufio"
	"crypto/rand"
	"errors"
	"path/filepath"
)

// A Pending is a file that is written under a temporary name. Commit renames it to its final name.
type Pending struct {
	*bufio.Writer // after a write error, it returns that error again

	name, temporary string
	fsys            FS
	file            File
	done            bool
}

// NewPending creates a temporary file. Commit will rename it to name. Until then, an existing file
// called name stays.
func NewPending(fsys FS, name string) (*Pending, error) {
	folder, base := filepath.Split(name)
	p := &Pending{name: name, fsys: fsys,
		temporary: filepath.Join(folder, "."+base+"."+rand.Text()[:10]+".tmp")}
	var err error
	if p.file, err = fsys.Create(p.temporary); err != nil {
		return nil, err
	}
	p.Writer = bufio.NewWriterSize(p.file, 256<<10)
	return p, nil
}

// Commit makes the file durable and renames it to its final name. If that fails, Commit removes the
// temporary file, and an existing file with the final name stays unchanged. After a loss of power
// at any time, the final name has either the new file or what it had before.
func (p *Pending) Commit() error {
	if p.done {
		return nil
	}
	err := p.Flush()
	if err == nil {
		err = p.file.Sync()
	}
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	p.done = true
	if err = p.file.Close(); err == nil {
		err = p.fsys.Rename(p.temporary, p.name)
	}
	if err != nil {
		p.fsys.Remove(p.temporary)
		return err
	}
	return p.fsys.SyncDir(filepath.Dir(p.name))
}

// Discard removes the file. After Commit it does nothing.
func (p *Pending) Discard() error {
	if p.done {
		return nil
	}
	p.done = true
	return errors.Join(p.file.Close(), p.fsys.Remove(p.temporary))
}

// WriteFile replaces the content of a file durably: after a loss of power at any time, the file
// contains either data or what it contained before.
func WriteFile(fsys FS, name string, data []byte) error {
	p, err := NewPending(fsys, name)
	if err != nil {
		return err
	}
	p.Write(data) // Commit returns the error
	return p.Commit()
}
