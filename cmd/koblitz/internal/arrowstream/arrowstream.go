// Package arrowstream verifies the rows of an Arrow IPC stream, and writes the stream with the
// verdicts in additional columns.
//
// Run answers each batch with one batch, in order, and flushes it, so that a program that sends a
// batch and waits gets its answer. Memory is bounded: batches have a size limit, and few batches
// are in progress at a time.
package arrowstream

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// These are limits on a batch of the stream. Spark sends batches of 10,000 rows by default.
const (
	maxBody = 32 << 20 // limit on a batch in bytes
	maxRows = 1 << 17
	maxMeta = 1 << 20 // bytes of the metadata of the stream or of one batch
)

// These are the names of the columns that Run appends.
const (
	Verdict = "verdict" // as in reports: valid, invalid, malformed, recovered
	Reason  = "reason"  // null for a valid row
	Sender  = "sender"  // recovery: the address as 0x and hex digits, or null
)

// A stream holds the data of one call of Run, which answers an Arrow stream.
type stream struct {
	spec     *columns.Spec
	name     string
	messages messages
	schema   *schema
	at       [columns.Roles]int // column number of each role
	added    []string           // names of the columns that Run appends
	buf      *bufio.Writer
	begun    bool // the schema has been written

	batch *batch // the batch being split; nil before the first
	next  int64  // number of the first row of batch that is in no piece yet
	rows  int64  // number of rows of earlier batches
	count int    // number of batches read
	err   error  // the error that ended reading

	mu     sync.Mutex
	pieces []piece // pieces that lack verdicts, in order

	texts [3]texts // verdicts, reasons and senders of the oldest batch
}

// A batch is one record batch of the stream, with its body.
type batch struct {
	recordBatch
	body    []byte
	columns []*vector // nil once all pieces exist
}

// size returns the number of bytes that the batch keeps in memory after it was split.
func (b *batch) size() int {
	return cap(b.body) + 16*(len(b.nodes)+len(b.buffers)) + 8*cap(b.variadic)
}

// A piece is a range of rows of a batch. last reports whether it is the batch's last piece.
type piece struct {
	batch *batch
	last  bool
}

// Run reads a stream from src and writes the answer to dst. cfg configures the verification. If Run
// ends before the stream does, it returns an error, and dst lacks the end-of-stream marker. Bytes
// after the end of the stream, such as a second stream, are also an error, but then the answer in
// dst is complete.
func Run(ctx context.Context, cfg verify.Config, src io.Reader, dst io.Writer,
	spec columns.Spec) error {
	s := &stream{spec: &spec, name: "stdin", buf: bufio.NewWriterSize(dst, 64<<10)}
	if err := reading.Guard(func() error { return s.open(src) }); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := verify.Answer(ctx, cfg, s, s.row, s.answer); err != nil {
		return err
	}
	if err := s.close(); err != nil {
		return err
	}
	if err := s.messages.ended(); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

func (s *stream) open(in io.Reader) error {
	s.messages = messages{in: in, bodies: reading.NewBudget(math.MaxInt64, nil)}
	d, err := s.messages.next()
	switch {
	case err == io.EOF || err == nil && (d.kind != schemaMessage || len(d.body) > 0):
		return errors.New("the stream does not begin with its schema")
	case err != nil:
		return err
	}
	s.schema = d.schema
	var names []string
	for _, f := range s.schema.columns {
		names = append(names, f.name)
	}
	if s.at, err = s.spec.Find(names); err != nil {
		return err
	}
	for _, r := range s.spec.Used() {
		if f := s.schema.columns[s.at[r]]; !f.readable() {
			return fmt.Errorf("column %q: %v, where bytes or text are needed", columns.Short(f.name), f)
		}
	}
	s.added = []string{Verdict, Reason}
	if s.spec.Scheme == reading.Recover {
		s.added = append(s.added, Sender)
	}
	for _, name := range s.added { // programs that ignore case would mix up names that are alike
		alike := func(other string) bool { return strings.EqualFold(other, name) }
		if i := slices.IndexFunc(names, alike); i >= 0 {
			return fmt.Errorf("the stream has a column %q already: rename it", columns.Short(names[i]))
		}
	}
	return nil
}

func (s *stream) Close() error { return nil }

// Next returns the next piece (range of rows) of the current batch as a reading.Batch. After the
// batch's last piece it reads the next batch. A batch without rows has one piece.
func (s *stream) Next() (reading.Batch, error) {
	if s.err != nil {
		return nil, s.err
	}
	var b *columns.Batch
	s.err = reading.Guard(func() (err error) {
		b, err = s.piece()
		return err
	})
	if s.err == nil {
		return b, nil
	}
	if s.err != io.EOF {
		s.err = fmt.Errorf("%s: batch %d: %w", s.name, s.count, s.err)
	}
	return nil, s.err
}

func (s *stream) piece() (*columns.Batch, error) {
	if s.batch == nil || s.next == s.batch.length {
		if s.batch != nil {
			s.rows += s.batch.length
		}
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	n := min(s.batch.length-s.next, columns.RowsPerBatch)
	b := &columns.Batch{Spec: s.spec, File: s.name, First: s.rows + s.next, Rows: int(n)}
	for _, r := range s.spec.Used() {
		cells, column := &b.Cells[r], s.batch.columns[s.at[r]]
		cells.Text = column.field.isText()
		for i := s.next; i < s.next+n; i++ {
			if value, ok := column.cell(i); ok {
				cells.Add(value)
			} else {
				cells.Fault(columns.Null)
			}
		}
	}
	s.next += n
	last := s.next == s.batch.length
	if last {
		s.batch.columns = nil
		b.Memory = int64(s.batch.size())
	}
	s.mu.Lock()
	s.pieces = append(s.pieces, piece{s.batch, last})
	s.mu.Unlock()
	return b, nil
}

// read reads the next batch, or returns io.EOF.
func (s *stream) read() error {
	d, err := s.messages.next()
	if err != nil {
		return err
	}
	if d.kind != batchMessage {
		return fmt.Errorf("a message of kind %d between batches", d.kind)
	}
	b := &batch{recordBatch: d.batch, body: d.body}
	if b.columns, err = (&walk{d.batch, d.body}).columns(s.schema.columns); err != nil {
		return err
	}
	s.batch, s.next = b, 0
	s.count++
	return nil
}

// row stores the verdict on the next row of the oldest piece (range of rows) without an answer.
func (s *stream) row(r *verify.Row) {
	sender := ""
	if r.Recovered {
		sender = "0x" + hex.EncodeToString(r.Sender[:])
	}
	for i, text := range []string{r.Verdict.String(), r.Reason, sender} {
		s.texts[i].append(text)
	}
}

// answer removes the oldest piece (range of rows) after all its rows have got verdicts. If it is
// the last piece of its batch, answer writes the batch with the verdicts.
func (s *stream) answer() error {
	s.mu.Lock()
	p := s.pieces[0]
	s.pieces = s.pieces[1:]
	s.mu.Unlock()
	if !p.last {
		return nil
	}
	err := s.write(p.batch)
	for i := range s.texts {
		s.texts[i].reset()
	}
	if err != nil {
		return fmt.Errorf("%s: the answer to a batch: %w", s.name, err)
	}
	return nil
}

// write writes the batch b, with the columns that Run appends, to the output.
func (s *stream) write(b *batch) error {
	if got := s.texts[0].n; got != b.length {
		return fmt.Errorf("%d verdicts on %d rows", got, b.length)
	}
	s.begin()
	length := (len(b.body) + 7) &^ 7
	parts := [][]byte{b.body}
	for i := range s.added {
		t := &s.texts[i]
		b.nodes = append(b.nodes, [2]int64{t.n, t.nulls})
		valid := t.valid
		if t.nulls == 0 {
			valid = nil
		}
		for _, part := range [][]byte{valid, t.offsets, t.data} {
			b.buffers = append(b.buffers, [2]int64{int64(length), int64(len(part))})
			length += (len(part) + 7) &^ 7
			parts = append(parts, part)
		}
	}
	s.buf.Write(b.message(length))
	for _, part := range parts {
		s.writePart(part)
	}
	return s.buf.Flush() // the first error of all writes
}

// writePart writes b to the output, and then zeros up to a multiple of 8 bytes.
func (s *stream) writePart(b []byte) {
	s.buf.Write(b)
	s.buf.Write(make([]byte, -len(b)&7))
}

// begin writes the schema to the output when it is called for the first time.
func (s *stream) begin() {
	if !s.begun {
		s.begun = true
		s.buf.Write(s.schema.answered(s.added))
	}
}

// close writes the end-of-stream marker. All batches must have been answered.
func (s *stream) close() error {
	if n := len(s.pieces); n > 0 {
		return fmt.Errorf("%s: %d parts of batches without an answer", s.name, n)
	}
	s.begin()
	s.buf.Write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0})
	return s.buf.Flush()
}
