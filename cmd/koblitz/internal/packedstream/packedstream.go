// Package packedstream verifies packed rows from a stream. It writes each row to the output,
// followed by one byte with the row's verdict.
//
// It answers rows as they arrive, so that a program that writes some rows and waits gets their
// verdicts without writing more. Memory is bounded: a batch has at most 1,024 rows, and few batches
// are in progress at a time.
package packedstream

//ci:untested The tests of koblitz stream run it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/packed"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// name is the stream's name in errors.
const name = "stdin"

// maxRows is the maximum number of rows in a batch.
const maxRows = 1024

// A stream holds the data of one call of Run, which answers a stream of rows.
type stream struct {
	format packed.Format
	in     io.Reader
	buf    []byte // room for maxRows rows
	rest   int    // number of bytes of an incomplete row at the start of buf
	row    int64  // number of the next row
	err    error  // the error that ended reading

	mu      sync.Mutex
	pending [][]byte // rows of each batch without an answer, oldest first

	out     io.Writer
	answer  []byte // buffer for the answer to a batch
	checked []byte // verdicts on the first rows of pending[0]
}

// Run reads rows in the given format from src to its end, and writes them to dst with their
// verdicts. If src ends inside a row, Run answers all rows before it and then returns an error. cfg
// configures the verification.
func Run(ctx context.Context, cfg verify.Config, src io.Reader, dst io.Writer,
	format packed.Format) error {
	s := &stream{format: format, in: src, out: dst, buf: make([]byte, maxRows*format.Width())}
	if err := verify.Answer(ctx, cfg, s, s.take, s.write); err != nil {
		return err
	}
	if n := len(s.pending); n > 0 {
		return fmt.Errorf("%s: %d batches without an answer", name, n)
	}
	return nil
}

func (s *stream) Close() error { return nil }

// Next waits for a complete row, and returns a batch of it and all complete rows that arrived with
// it.
func (s *stream) Next() (reading.Batch, error) {
	if s.err != nil {
		return nil, s.err
	}
	w := s.format.Width()
	n, err := io.ReadAtLeast(s.in, s.buf[s.rest:], w-s.rest)
	n += s.rest
	if err != nil {
		s.err = s.end(err, n)
		return nil, s.err
	}
	data := bytes.Clone(s.buf[:n-n%w])
	s.rest = copy(s.buf, s.buf[len(data):n])
	b := packed.Batch(name, s.format, s.row, data)
	s.row += int64(n / w)
	s.mu.Lock()
	s.pending = append(s.pending, data)
	s.mu.Unlock()
	return b, nil
}

// end returns the error for a stream that ended with err after n bytes of an incomplete row. It
// returns io.EOF if n is 0 and err is io.EOF.
func (s *stream) end(err error, n int) error {
	switch {
	case err == io.EOF && n == 0:
		return io.EOF
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		err = fmt.Errorf("the stream ends inside row %d, after %d of its %d bytes (truncated, or not "+
			"%s)", s.row, n, s.format.Width(), s.format.Name)
	}
	return &reading.Error{File: name, Offset: s.row*int64(s.format.Width()) + int64(n), Err: err}
}

// take appends the verdict of r, which is the next row of the oldest pending batch. Verdicts on
// packed rows have the numbers of package batch.
func (s *stream) take(r *verify.Row) {
	s.checked = append(s.checked, byte(r.Verdict))
}

// write writes the rows of the oldest pending batch with their verdicts.
func (s *stream) write() error {
	s.mu.Lock()
	data := s.pending[0]
	s.pending = s.pending[1:]
	s.mu.Unlock()
	w := s.format.Width()
	if len(s.checked)*w != len(data) || bytes.IndexByte(s.checked, byte(reading.Unchecked)) >= 0 {
		return errors.New("a row without a verdict")
	}
	s.answer = s.answer[:0]
	for i, v := range s.checked {
		s.answer = append(append(s.answer, data[i*w:(i+1)*w]...), v)
	}
	s.checked = s.checked[:0]
	_, err := s.out.Write(s.answer)
	return err
}
