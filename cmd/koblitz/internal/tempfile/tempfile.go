// Package tempfile makes temporary files that leave nothing behind, and that take no more of
// the disk together than they may.
package tempfile

import (
	"fmt"
	"os"
	"sync/atomic"
)

// A Space is what the temporary files that are made in it may take of the disk together. Its
// methods and those of the files may be called from several goroutines; each file belongs to
// one.
type Space struct {
	limit int64
	used  atomic.Int64
}

// NewSpace returns a space of so many bytes.
func NewSpace(limit int64) *Space { return &Space{limit: limit} }

// A FullError says that a file would have grown beyond its space.
type FullError struct{ Limit int64 } // of the space, in bytes

func (e *FullError) Error() string {
	return fmt.Sprintf("temporary files may take %d MiB of the disk together (--temp-space), "+
		"and more is needed", e.Limit>>20)
}

// take reserves bytes, or none of them if there is no room.
func (s *Space) take(bytes int64) error {
	for {
		used := s.used.Load()
		if bytes > s.limit-used {
			return &FullError{s.limit}
		}
		if s.used.CompareAndSwap(used, used+bytes) {
			return nil
		}
	}
}

// A File is a temporary file in the folder for such files (TMPDIR on Unix). Where
// the system allows it the file has no name any more, so that nothing is left of
// it however the program ends.
type File struct {
	file  *os.File
	space *Space
	size  int64 // up to the last byte; what lies before it counts, written or not
	at    int64 // where Write goes on
	named bool
}

// New makes a file. Its name begins with "koblitz-" and what, which says what it
// is for.
func (s *Space) New(what string) (*File, error) {
	f, err := os.CreateTemp("", "koblitz-"+what+"-*")
	if err != nil {
		return nil, fmt.Errorf("no temporary file for %s: %w", what, err)
	}
	return &File{file: f, space: s, named: os.Remove(f.Name()) != nil}, nil
}

// grow reserves what a file of so many bytes needs.
func (f *File) grow(size int64) error {
	if size <= f.size {
		return nil
	}
	if err := f.space.take(size - f.size); err != nil {
		return err
	}
	f.size = size
	return nil
}

// Extend makes the file at least that long, with zeros.
func (f *File) Extend(size int64) error {
	if size <= f.size {
		return nil
	}
	if err := f.grow(size); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

// Write writes behind what Write wrote before.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.WriteAt(b, f.at)
	f.at += int64(n)
	return n, err
}

// WriteAt writes all of b, or fails without having grown beyond the space.
func (f *File) WriteAt(b []byte, offset int64) (int, error) {
	if err := f.grow(offset + int64(len(b))); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, offset)
}

// ReadAt is that of os.File.
func (f *File) ReadAt(b []byte, offset int64) (int, error) { return f.file.ReadAt(b, offset) }

// Size is the number of bytes up to the last one.
func (f *File) Size() int64 { return f.size }

// Close closes the file, which is gone then, and gives its room back.
func (f *File) Close() error {
	err := f.file.Close()
	if f.named {
		if rerr := os.Remove(f.file.Name()); err == nil {
			err = rerr
		}
	}
	f.space.used.Add(-f.size)
	f.size = 0
	return err
}
