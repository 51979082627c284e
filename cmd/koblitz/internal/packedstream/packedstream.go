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

// A stream holds the data of one call of Run, which answers a stream of rows.
type stream struct {
	reading.Reader
	width int // size of a row in bytes

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
	s := &stream{Reader: packed.NewStream(name, src, format), width: format.Width(), out: dst}
	if err := verify.Answer(ctx, cfg, s, s.take, s.write); err != nil {
		return err
	}
	if n := len(s.pending); n > 0 {
		return fmt.Errorf("%s: %d batches without an answer", name, n)
	}
	return nil
}

// Next returns the next batch, and notes its rows.
func (s *stream) Next() (reading.Batch, error) {
	b, err := s.Reader.Next()
	if err == nil {
		s.mu.Lock()
		s.pending = append(s.pending, b.(*packed.Batch).Rows)
		s.mu.Unlock()
	}
	return b, err
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
	w := s.width
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
