// Package forgetful implements a file system for tests that loses data that was not synced.
//
// It stores the state that the program sees and the state on the disk separately. After a loss of
// power, a file or folder may have any state between the two that POSIX allows. A file then has the
// content of its last Sync, possibly with some of the bytes written after it, or has its new length
// with zeros in place of some new bytes. A folder has the names of its last SyncDir, with any
// subset of the later changes.
package forgetful

//ci:untested The tests of internal/durable run it.

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
)

// ErrPower is the error of every operation after the loss of power.
var ErrPower = errors.New("power was lost")

// An FS implements durable.FS for one goroutine.
type FS struct {
	left    int  // operations before power is lost; if negative, power stays on
	done    int  // number of operations so far
	off     bool // power has been lost
	names   map[string]*content
	durable map[string]*content
	changes []change // changes of names since the last SyncDir
	locks   map[*content]bool
}

// A content is the content of a file: seen by the program, and stored on the disk by the last Sync.
type content struct{ seen, synced []byte }

// A change is a change of a file's name. from is the old name, which is empty for a new file. to is
// the new name, which is empty for a removed file.
type change struct {
	from, to string
	file     *content
}

// New returns an empty file system that loses power in operation n, counted from 0, or never if n
// is negative. An operation is a call that changes or syncs something.
func New(n int) *FS {
	return &FS{left: n, names: map[string]*content{}, durable: map[string]*content{},
		locks: map[*content]bool{}}
}

// Operations returns the number of operations so far.
func (f *FS) Operations() int { return f.done }

// ReadFile returns the whole content of a file.
func (f *FS) ReadFile(name string) ([]byte, error) {
	c := f.names[name]
	if c == nil {
		return nil, missing("open", name)
	}
	return c.seen, nil
}

// operation counts an operation and reports whether power is lost during it.
func (f *FS) operation() (now bool, err error) {
	if f.off {
		return false, ErrPower
	}
	if f.off = f.left == 0; f.off {
		return true, ErrPower
	}
	f.left--
	f.done++
	return false, nil
}

// A Memory selects which unsynced data survives a loss of power.
type Memory uint8

const (
	Nothing Memory = iota + 1 // only synced data survives
	All                       // all data survives, as after a crash of the program alone
	Some                      // a random part of the unsynced data survives
)

// Restart returns the file system after power is back, with the unsynced data that m selects. If m
// is Some, chance selects the data at random. The result loses power in operation n, as in New.
func (f *FS) Restart(m Memory, chance *rand.Rand, n int) *FS {
	kept := func() bool { return m == All || m == Some && chance.IntN(2) == 0 }
	names := maps.Clone(f.durable)
	for _, c := range f.changes {
		if !kept() {
			continue
		}
		if c.from != "" && names[c.from] != c.file {
			continue // an earlier change, on which this change depends, was lost
		}
		delete(names, c.from)
		if c.to != "" {
			names[c.to] = c.file
		}
	}
	g := New(n)
	for name, c := range names {
		data := c.synced
		switch {
		case bytes.Equal(c.seen, c.synced):
		case m == All:
			data = c.seen
		case m == Some:
			data = part(c, chance)
		}
		file := &content{bytes.Clone(data), bytes.Clone(data)}
		g.names[name], g.durable[name] = file, file
	}
	return g
}

// part returns the content of a file after a loss of power that keeps a random part of the unsynced
// data.
func part(c *content, chance *rand.Rand) []byte {
	common := 0
	for common < min(len(c.seen), len(c.synced)) && c.seen[common] == c.synced[common] {
		common++
	}
	some := func(least, most int) int { return least + chance.IntN(most-least+1) }
	from := some(common, len(c.seen))
	switch chance.IntN(4) {
	case 0:
		return c.synced
	case 1:
		return c.seen
	case 2:
		return c.seen[:max(from, min(len(c.synced), len(c.seen)))]
	}
	data := bytes.Clone(c.seen)
	clear(data[from:some(from, len(data))])
	return data
}

func missing(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (f *FS) change(c change) {
	delete(f.names, c.from)
	if c.to != "" {
		f.names[c.to] = c.file
	}
	f.changes = append(f.changes, c)
}

// Create implements durable.FS.
func (f *FS) Create(name string) (durable.File, error) {
	if _, err := f.operation(); err != nil {
		return nil, err
	}
	if f.names[name] != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	c := &content{}
	f.change(change{to: name, file: c})
	return &file{fs: f, c: c}, nil
}

// Open implements durable.FS.
func (f *FS) Open(name string) (durable.File, error) {
	if f.off {
		return nil, ErrPower
	}
	c := f.names[name]
	if c == nil {
		return nil, missing("open", name)
	}
	return &file{fs: f, c: c}, nil
}

// Rename implements durable.FS.
func (f *FS) Rename(oldName, newName string) error {
	if _, err := f.operation(); err != nil {
		return err
	}
	c := f.names[oldName]
	if c == nil {
		return missing("rename", oldName)
	}
	f.change(change{oldName, newName, c})
	return nil
}

// Remove implements durable.FS.
func (f *FS) Remove(name string) error {
	if _, err := f.operation(); err != nil {
		return err
	}
	c := f.names[name]
	if c == nil {
		return missing("remove", name)
	}
	f.change(change{from: name, file: c})
	return nil
}

// SyncDir implements durable.FS.
func (f *FS) SyncDir(dir string) error {
	if _, err := f.operation(); err != nil {
		return err
	}
	inside := func(name string) bool { return filepath.Dir(name) == filepath.Clean(dir) }
	maps.DeleteFunc(f.durable, func(name string, _ *content) bool { return inside(name) })
	for name, c := range f.names {
		if inside(name) {
			f.durable[name] = c
		}
	}
	f.changes = slices.DeleteFunc(f.changes, func(c change) bool {
		return (c.from == "" || inside(c.from)) && (c.to == "" || inside(c.to))
	})
	return nil
}

type file struct {
	fs     *FS
	c      *content
	locked bool
}

// Lock implements durable.File. A loss of power releases the lock.
func (f *file) Lock() (ok bool, err error) {
	switch {
	case f.fs.off:
		return false, ErrPower
	case f.fs.locks[f.c]:
		return f.locked, nil
	}
	f.fs.locks[f.c], f.locked = true, true
	return true, nil
}

// Write writes only a part of b if power is lost during it.
func (f *file) Write(b []byte) (int, error) {
	now, err := f.fs.operation()
	if now {
		f.c.seen = append(f.c.seen, b[:len(b)/2]...)
	}
	if err != nil {
		return 0, err
	}
	f.c.seen = append(f.c.seen, b...)
	return len(b), nil
}

func (f *file) ReadAt(b []byte, offset int64) (int, error) {
	if f.fs.off {
		return 0, ErrPower
	}
	return bytes.NewReader(f.c.seen).ReadAt(b, offset)
}

func (f *file) Size() (int64, error) { return int64(len(f.c.seen)), nil }

func (f *file) Truncate(size int64) error {
	if _, err := f.fs.operation(); err != nil {
		return err
	}
	if size > int64(len(f.c.seen)) {
		return errors.New("longer than it is")
	}
	f.c.seen = bytes.Clone(f.c.seen[:size])
	return nil
}

func (f *file) Sync() error {
	if _, err := f.fs.operation(); err != nil {
		return err
	}
	f.c.synced = bytes.Clone(f.c.seen)
	return nil
}

func (f *file) Hide() error { return nil }

func (f *file) Close() error {
	if f.locked {
		delete(f.fs.locks, f.c)
	}
	return nil
}
