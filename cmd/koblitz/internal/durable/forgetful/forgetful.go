// Package forgetful implements a file system for tests that loses data that was not synced.
//
// It stores the state that the program sees and the state on the disk separately. After a loss of
// power, a file or folder may have any state between the two that POSIX allows. A file then has the
// content of its last Sync, possibly with some of the bytes written after it, or has its new length
// with zeros in place of some new bytes. In a folder, each name has the file of the last SyncDir or
// the one that the program sees.
package forgetful

//ci:untested The tests of internal/durable run it.

import (
	"bytes"
	"cmp"
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
}

// A content is the content of a file: seen by the program, and stored on the disk by the last Sync.
type content struct {
	seen, synced []byte
	holder       *file // the open file that holds the lock, or nil
}

// New returns an empty file system that loses power in operation n, counted from 0, or never if n
// is negative. An operation is a call that changes or syncs something.
func New(n int) *FS {
	return &FS{left: n, names: map[string]*content{}, durable: map[string]*content{}}
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
	maps.Copy(names, f.names)
	g := New(n)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c := f.durable[name]
		if kept() {
			c = f.names[name]
		}
		if c == nil {
			continue
		}
		data := c.synced
		switch {
		case bytes.Equal(c.seen, c.synced):
		case m == All:
			data = c.seen
		case m == Some:
			data = part(c, chance)
		}
		file := &content{seen: bytes.Clone(data), synced: bytes.Clone(data)}
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

// Create implements durable.FS.
func (f *FS) Create(name string) (durable.File, error) {
	if _, err := f.operation(); err != nil {
		return nil, err
	}
	if f.names[name] != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	c := &content{}
	f.names[name] = c
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
	delete(f.names, oldName)
	f.names[newName] = c
	return nil
}

// Remove implements durable.FS.
func (f *FS) Remove(name string) error {
	if _, err := f.operation(); err != nil {
		return err
	}
	if f.names[name] == nil {
		return missing("remove", name)
	}
	delete(f.names, name)
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
	return nil
}

type file struct {
	fs *FS
	c  *content
}

// Lock implements durable.File. A loss of power releases the lock.
func (f *file) Lock() (ok bool, err error) {
	if f.fs.off {
		return false, ErrPower
	}
	f.c.holder = cmp.Or(f.c.holder, f)
	return f.c.holder == f, nil
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
	if f.c.holder == f {
		f.c.holder = nil
	}
	return nil
}
