// Package tempfile makes temporary files that leave nothing behind.
package tempfile

import (
	"fmt"
	"os"
)

// A File is a temporary file in the folder for such files (TMPDIR on Unix). Where
// the system allows it the file has no name any more, so that nothing is left of
// it however the program ends.
type File struct {
	*os.File
	named bool
}

// New makes a file. Its name begins with "koblitz-" and what, which says what it
// is for.
func New(what string) (*File, error) {
	f, err := os.CreateTemp("", "koblitz-"+what+"-*")
	if err != nil {
		return nil, fmt.Errorf("no temporary file for %s: %w", what, err)
	}
	return &File{f, os.Remove(f.Name()) != nil}, nil
}

// Close closes the file, which is gone then.
func (f *File) Close() error {
	err := f.File.Close()
	if f.named {
		if rerr := os.Remove(f.Name()); err == nil {
			err = rerr
		}
	}
	return err
}
