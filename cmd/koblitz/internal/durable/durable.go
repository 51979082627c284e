// Package durable writes files that are there after a loss of power.
//
// What was written to a file is on the disk once Sync has returned, and the name of a file, new,
// changed or removed, once SyncDir has returned for its folder. Without that either may be
// missing after a loss of power, whatever the order in which it was written: POSIX promises no
// more (fsync, rename). An FS is a seam: package forgetful has one that keeps no more than that.
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

// An FS is as much of a file system as durable writing takes. Names are paths as package
// path/filepath has them. An error for a file that does not exist is an fs.ErrNotExist.
type FS interface {
	// Create makes a file. If there is one of that name, the error is an fs.ErrExist.
	Create(name string) (File, error)
	// Open opens a file that exists to read it, and to write behind its end.
	Open(name string) (File, error)
	// Rename gives a file another name; a file that has that name is replaced in one step.
	Rename(from, to string) error
	// Move is Rename, but if there is a file of that name, it stays and the error is an fs.ErrExist.
	// After a loss of power the file may have both names.
	Move(from, to string) error
	Remove(name string) error
	// List returns the names in a folder, without the folder's own.
	List(dir string) ([]string, error)
	// SyncDir makes the names in a folder durable.
	SyncDir(dir string) error
}

// A File is an open file.
type File interface {
	// Write writes behind the end of the file.
	io.WriteCloser
	io.ReaderAt
	Size() (int64, error)
	// Truncate cuts the file off behind size bytes, of which there must be so many.
	Truncate(size int64) error
	// Sync makes the content of the file durable.
	Sync() error
	// Lock keeps the file from everybody else who asks for its lock, until it is closed or the
	// process ends. ok is false if another one has the lock.
	Lock() (ok bool, err error)
}

// WriteFile writes data to a new file and gives it the name, durably: whenever power is lost, the
// file name has its former content or data.
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

// ReadFile returns the whole content of a file.
func ReadFile(fsys FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, 0); n < len(data) {
		return nil, err
	}
	return data, nil
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

// Truncate also takes the place of writing to the end.
func (f osFile) Truncate(size int64) error {
	if err := f.File.Truncate(size); err != nil {
		return err
	}
	_, err := f.Seek(0, io.SeekEnd)
	return err
}

// Create is os.Create for the user alone: what a report says may be nobody else's.
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

func (OS) Rename(from, to string) error { return os.Rename(from, to) }
func (OS) Remove(name string) error     { return os.Remove(name) }

// Move makes a second name and removes the first. A file system without second names renames.
func (OS) Move(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if _, there := os.Lstat(to); there == nil || errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
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

// SyncDir does nothing on Windows, which has no such call: NTFS keeps a journal of names.
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

// Missing reports whether err says that a file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
