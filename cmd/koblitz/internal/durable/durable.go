// Package durable writes files that survive a loss of power.
//
// The content of a file is on the disk once Sync has returned. A new, changed or removed file name
// is on the disk once SyncDir has returned for its folder. Without these calls either may be lost,
// in any order: POSIX promises no more (fsync, rename). FS is an interface so that tests can use
// package forgetful, which keeps no more than POSIX promises.
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// An FS has the file system operations that durable writing needs. Names are paths as in package
// path/filepath. The error for a missing file is an fs.ErrNotExist.
type FS interface {
	// Create makes a new file. If the name exists, the error is an fs.ErrExist.
	Create(name string) (File, error)
	// Open opens an existing file for reading and for appending.
	Open(name string) (File, error)
	// Rename renames a file. An existing file named newName is replaced atomically.
	Rename(oldName, newName string) error
	Remove(name string) error
	// SyncDir makes the names in a folder durable.
	SyncDir(dir string) error
}

// A File is an open file.
type File interface {
	// Write appends to the file.
	io.WriteCloser
	io.ReaderAt
	Size() (int64, error)
	// Truncate shortens the file to size bytes. The file must have at least size bytes.
	Truncate(size int64) error
	// Sync makes the content of the file durable.
	Sync() error
	// Lock takes an exclusive lock, until the file is closed or the process ends. ok is false if
	// another process or open file holds the lock.
	Lock() (ok bool, err error)
	// Hide makes the file one that only its owner can read.
	Hide() error
}

// A RefusedError says why a file is not written to: it belongs to another program or run, or is in
// use. The file is left unchanged.
type RefusedError string

func (e RefusedError) Error() string { return string(e) }

// Refusedf returns a RefusedError with a formatted text.
func Refusedf(format string, args ...any) error {
	return RefusedError(fmt.Sprintf(format, args...))
}

// OpenOwn opens the file called name for appending, or creates it, and locks it. The file begins
// with magic: OpenOwn writes magic, durably, to a file that is empty or holds only the first bytes
// of magic. A file that begins otherwise is refused, because it is not what. No run replaces a file
// that another run has created: only one of them creates it, and only one gets the lock.
func OpenOwn(fsys FS, name, magic, what string) (File, error) {
	f, err := fsys.Open(name)
	if Missing(err) {
		f, err = fsys.Create(name)
		switch {
		case err == nil:
			err = fsys.SyncDir(filepath.Dir(name))
		case errors.Is(err, fs.ErrExist): // another run has just created it, or it is a link to nothing
			if f, err = fsys.Open(name); Missing(err) {
				return nil, Refusedf("%s is there already, and cannot be opened", name)
			}
		}
	}
	if err == nil {
		err = own(f, name, magic, what)
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	return f, nil
}

// own locks f, and makes it begin with magic.
func own(f File, name, magic, what string) error {
	if ok, err := f.Lock(); err != nil {
		return fmt.Errorf("%s cannot be locked: %w", name, err)
	} else if !ok {
		return Refusedf("%s is in use by another run", name)
	}
	size, err := f.Size()
	if err != nil {
		return err
	}
	head := make([]byte, min(size, int64(len(magic))))
	if _, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return err
	}
	switch {
	case string(head) == magic:
		return nil
	case !strings.HasPrefix(magic, string(head)):
		return Refusedf("%s is not %s; it stays as it is, so name another file", name, what)
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := io.WriteString(f, magic); err != nil {
		return err
	}
	return f.Sync()
}

// OS is the file system of this machine.
type OS struct{}

type osFile struct{ *os.File }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Truncate shortens the file to size bytes and moves the write position to the new end.
func (f osFile) Truncate(size int64) error {
	if err := f.File.Truncate(size); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekEnd)
	return err
}

// Create makes a file that only its owner can read, since reports may be confidential.
func (OS) Create(name string) (File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (OS) Open(name string) (File, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a file")}
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		f.Close()
		return nil, err
	}
	return osFile{f}, nil
}

func (OS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }
func (OS) Remove(name string) error             { return os.Remove(name) }

func (f osFile) Lock() (ok bool, err error) { return lock(f.File) }
func (f osFile) Hide() error                { return f.Chmod(0o600) }

// SyncDir does nothing on Windows, which has no such call: NTFS journals file names. It returns nil
// if the file system cannot sync a folder.
func (OS) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err == nil {
		err = d.Sync()
		d.Close()
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) ||
		errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Missing reports whether err means that a file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
