// Package tempfile creates temporary files that are removed when the program ends. The total size
// of all files of a Space has a limit.
package tempfile

import (
	"fmt"
	"os"
	"sync/atomic"
)

// A Space limits the disk space of the temporary files that are created in it. Several goroutines
// may call its methods and use different files of it at the same time, but each file belongs to one
// goroutine.
type Space struct {
	limit int64
	used  atomic.Int64
}

// NewSpace returns a Space whose files may have limit bytes in total.
func NewSpace(limit int64) *Space { return &Space{limit: limit} }

// A FullError reports that a file would have exceeded its space.
type FullError struct{ Limit int64 } // the limit of the Space, in bytes

func (e *FullError) Error() string {
	return fmt.Sprintf("temporary files may take %d MiB of the disk together (--temp-space), "+
		"and more is needed", e.Limit>>20)
}

// take reserves bytes of the space. If fewer are free, take reserves nothing and returns a
// FullError.
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

// A File is a temporary file in the system's folder for temporary files (TMPDIR on Unix). If the
// system allows it, the file has no name, so that it disappears even if the program is killed.
type File struct {
	file  *os.File
	space *Space
	size  int64 // offset after the last byte; holes between writes count too
	at    int64 // offset of the next Write
	named bool
}

// New creates a file. Its name begins with "koblitz-" followed by purpose, a word for the use of
// the file.
func (s *Space) New(purpose string) (*File, error) {
	f, err := os.CreateTemp("", "koblitz-"+purpose+"-*")
	if err != nil {
		return nil, fmt.Errorf("no temporary file for %s: %w", purpose, err)
	}
	return &File{file: f, space: s, named: os.Remove(f.Name()) != nil}, nil
}

// grow reserves the space that the file needs to grow to size bytes.
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

// Extend extends the file with zeros to at least size bytes.
func (f *File) Extend(size int64) error {
	if size <= f.size {
		return nil
	}
	if err := f.grow(size); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

// Write writes b after the bytes of the previous Write.
func (f *File) Write(b []byte) (int, error) {
	n, err := f.WriteAt(b, f.at)
	f.at += int64(n)
	return n, err
}

// WriteAt writes all of b at offset, or fails if the file would exceed the space's limit.
func (f *File) WriteAt(b []byte, offset int64) (int, error) {
	if err := f.grow(offset + int64(len(b))); err != nil {
		return 0, err
	}
	return f.file.WriteAt(b, offset)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(b []byte, offset int64) (int, error) { return f.file.ReadAt(b, offset) }

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Close closes and removes the file, and returns its bytes to the space.
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
