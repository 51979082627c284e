package tempfile

import (
	"fmt"
	"io"
)

// spoolMemory is the maximum number of bytes that a Spool keeps in memory.
const spoolMemory = 1 << 20

// A Spool keeps text of any length until it can be written: the last part in memory, the rest in a
// temporary file in Space.
type Spool struct {
	Space *Space
	last  []byte
	file  *File
	// Err is the first error. Text that is added after this error is dropped.
	Err error
}

// Any reports whether any text was added.
func (s *Spool) Any() bool { return s.file != nil || len(s.last) > 0 }

// Add appends text.
func (s *Spool) Add(text string) {
	if s.Err != nil {
		return
	}
	if s.last = append(s.last, text...); len(s.last) < spoolMemory {
		return
	}
	if s.file == nil {
		if s.file, s.Err = s.Space.New("report"); s.Err != nil {
			return
		}
	}
	if _, err := s.file.Write(s.last); err != nil {
		s.Err = fmt.Errorf("no place for a part of the report: %w", err)
	}
	s.last = s.last[:0]
}

// WriteOut writes all text that was added, and empties the spool.
func (s *Spool) WriteOut(w io.Writer) error {
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
