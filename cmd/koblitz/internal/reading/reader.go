package reading

import (
	"fmt"
	"io"
)

// A Source is one decompressed input for the reader of a format.
type Source struct {
	Name     string // name of the input on the command line
	Reader   io.Reader
	Consumed func() int64 // bytes of the compressed files read so far; may be nil
	Before   int64        // bytes of earlier files, if Consumed is nil
	// From is the place at which reading resumes, or nil to begin at the start. Reader is already
	// at From.Offset. Offsets, lines and rows in units still count from the start of the file.
	From *Place
	// Raw reports whether Unit.Raw is needed. If not, readers may leave it nil to save time.
	Raw bool
}

// Position returns src.Consumed(). If Consumed is nil, it returns the number of bytes read so far,
// where read of them are bytes of this file.
func (src Source) Position(read int64) int64 {
	if src.Consumed == nil {
		return src.Before + read
	}
	return src.Consumed()
}

// A Batch is a part of an input. It can be expanded into Units independently of other batches.
type Batch interface {
	// Expand calls emit with each Unit, in order. It may reuse the Unit after emit returns.
	Expand(emit func(*Unit))
	// Consumed returns the number of bytes of the file, as compressed, that were read up to the end
	// of this batch.
	Consumed() int64
	// Size returns an upper bound on the memory in bytes that the batch needs until its rows have
	// been reported: its own data, the Units from Expand, and RowSize for each row.
	Size() int64
	// Place returns the place after the batch, or nil if reading cannot resume there, for example
	// within a block in JSON. A reader that starts at this place (Source.From) returns the same
	// Units, at the same positions, as the original reader returned after the batch. Its division
	// into batches may differ. The goroutine that called Next calls Place once, before Expand.
	Place() *Place
	// Blocks returns the summary of the blocks whose last row is in the batch.
	Blocks() Blocks
}

// A Part is the part of an input that a batch holds. Batches embed it for the methods of Batch
// other than Expand.
type Part struct {
	Read   int64  // the result of Consumed
	Memory int64  // the result of Size
	After  *Place // the result of Place
	Ended  Blocks // the result of Blocks
}

func (p *Part) Consumed() int64 { return p.Read }
func (p *Part) Size() int64     { return p.Memory }
func (p *Part) Place() *Place   { return p.After }
func (p *Part) Blocks() Blocks  { return p.Ended }

// RowSize is an upper bound on the memory in bytes for the result of one row (place, verdict and
// reason) from Expand until the row is reported.
const RowSize = 1 << 10

// A Reader splits one input into batches. If Next returns an error, the batches that it returned
// before remain valid.
type Reader interface {
	Next() (Batch, error)
	Close() error
}

// An Error is an error that ended reading, with the position in the file.
type Error struct {
	File   string
	Line   int   // line number from 1, or 0 if the format has no lines
	Offset int64 // byte offset in the decompressed file, or -1
	Err    error
}

func (e *Error) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	case e.Offset >= 0:
		return fmt.Sprintf("%s: at byte %d: %v", e.File, e.Offset, e.Err)
	}
	return fmt.Sprintf("%s: %v", e.File, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// A Queue collects the results of a reader and divides them into batches.
type Queue interface {
	// Any reports whether Take has something to return.
	Any() bool
	// Full reports whether the queue holds enough for a batch.
	Full() bool
	// Take removes the next batch from the queue and returns it, or returns nil. consumed is the
	// batch's Consumed value.
	Take(consumed int64) Batch
}

// Steps implements Next for readers that read in steps and put the results into a queue. After a
// step fails, Next returns the queue's remaining batches before the error.
type Steps struct {
	Queue Queue
	// Start runs before the first call of Step. It may be nil.
	Start func() error
	// Step reads a part of the input.
	Step func() error
	// Wait reports whether the next step may block until input arrives. It may be nil.
	Wait func() bool
	// End runs after a step that returned an error, which may be io.EOF, with that error. It adds
	// results that are left, and returns the error for Next. It may be nil.
	End func(error) error
	// Position returns the number of bytes of the file read so far.
	Position func() int64

	err     error
	started bool
}

// Close implements Reader. It has nothing to close.
func (s *Steps) Close() error { return nil }

// Next implements Reader.
func (s *Steps) Next() (Batch, error) {
	step := s.Step
	if !s.started && s.Start != nil {
		step = s.Start
	}
	s.started = true
	for s.err == nil && !s.Queue.Full() && !(s.Queue.Any() && s.Wait != nil && s.Wait()) {
		s.err, step = step(), s.Step
		if s.err != nil && s.End != nil {
			s.err = s.End(s.err)
		}
	}
	if b := s.Queue.Take(s.Position()); b != nil {
		return b, nil
	}
	return nil, s.err
}
