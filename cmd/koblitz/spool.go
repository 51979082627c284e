package main

import (
	"fmt"
	"io"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tempfile"
)

// spoolMemory is how many bytes a spool keeps in memory.
const spoolMemory = 1 << 20

// A spool keeps text of any length until it can be written: the last of it in
// memory, the rest in a temporary file in space.
type spool struct {
	space *tempfile.Space
	last  []byte
	file  *tempfile.File
	err   error // the first one; what comes after it is dropped
}

// any reports whether anything was added.
func (s *spool) any() bool { return s.file != nil || len(s.last) > 0 }

func (s *spool) add(text string) {
	if s.err != nil {
		return
	}
	if s.last = append(s.last, text...); len(s.last) < spoolMemory {
		return
	}
	if s.file == nil {
		if s.file, s.err = s.space.New("report"); s.err != nil {
			return
		}
	}
	if _, err := s.file.Write(s.last); err != nil {
		s.err = fmt.Errorf("no place for a part of the report: %w", err)
	}
	s.last = s.last[:0]
}

// writeTo writes everything that was added, and empties the spool.
func (s *spool) writeTo(w io.Writer) error {
	if s.file != nil {
		defer func() {
			s.file.Close()
			s.file = nil
		}()
		if _, err := io.Copy(w, io.NewSectionReader(s.file, 0, s.file.Size())); err != nil {
			return fmt.Errorf("reading back a part of the report: %w", err)
		}
	}
	_, err := w.Write(s.last)
	s.last = nil
	return err
}
