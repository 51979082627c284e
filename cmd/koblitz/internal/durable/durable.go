// Package durable writes files that survive a loss of power.
//
// The content of a file is on the disk once Sync has returned. A new, changed or removed file name
// is on the disk once SyncDir has returned for its folder. Without these calls either may be lost,
// in any order: POSIX promises no more (fsync, rename). FS is an interface so that tests can use
// package forgetful, which keeps no more than POSIX promises.
package durable

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
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
	// Move renames a file but never replaces one: if a file named newName exists, the error is an
	// fs.ErrExist. After a loss of power the file may have both names.
	Move(oldName, newName string) error
	Remove(name string) error
	// List returns the names of the files in a folder, without the folder's path.
	List(dir string) ([]string, error)
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
}

// WriteFile replaces the content of a file durably: after a loss of power at any time, the file
// contains either data or what it contained before.
func WriteFile(fsys FS, name string, data []byte) error {
	dir, base := filepath.Split(name)
	temporary := filepath.Join(dir, "."+base+"."+rand.Text()[:10]+".tmp")
	f, err := fsys.Create(temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		fsys.Remove(temporary)
		return err
	}
	if err := fsys.Rename(temporary, name); err != nil {
		fsys.Remove(temporary)
		return err
	}
	return fsys.SyncDir(filepath.Dir(name))
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

// Move makes newName a hard link to the file and then removes oldName. On a file system without
// hard links it renames the file instead.
func (OS) Move(oldName, newName string) error {
	err := os.Link(oldName, newName)
	if err == nil {
		return os.Remove(oldName)
	}
	if _, there := os.Lstat(newName); there == nil || errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "rename", Path: newName, Err: fs.ErrExist}
	}
	return os.Rename(oldName, newName)
}

func (OS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

func (f osFile) Lock() (ok bool, err error) { return lock(f.File) }

// SyncDir does nothing on Windows, which has no such call: NTFS journals file names.
func (OS) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if cerr := d.Close(); err == nil {
		err = cerr
	}
	return err
}

// Missing reports whether err means that a file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
