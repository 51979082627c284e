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

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
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

// name is the stream's name in errors.
const name = "stdin"

// A stream holds the data of one call of Run.
type stream struct {
	spec     *columns.Spec
	messages messages
	schema   *schema
	at       [columns.Roles]int // column number of each role
	added    []string           // names of the columns that Run appends
	buf      *bufio.Writer

	batch   *message  // the batch being split; nil before the first
	columns []*vector // columns of batch; nil once it is split
	next    int64     // number of the first row of batch that is in no piece yet
	rows    int64     // number of rows of earlier batches
	count   int       // number of batches read
	err     error     // the error that ended reading

	texts [3]ipc.Column // verdicts, reasons and senders of the first rows of the batch to be answered
}

// A piece is a range of rows of a batch of the stream.
type piece struct {
	columns.Batch
	whole *message // in the last piece of the batch: the batch
}

// Run reads a stream from src and writes the answer to dst. cfg configures the verification. If Run
// ends before the stream does, it returns an error, and dst lacks the end-of-stream marker. Bytes
// after the end of the stream, such as a second stream, are also an error, but then the answer in
// dst is complete.
func Run(ctx context.Context, cfg verify.Config, src io.Reader, dst io.Writer,
	spec columns.Spec) error {
	s := &stream{spec: &spec, buf: bufio.NewWriterSize(dst, 64<<10)}
	if err := reading.Guard(func() error { return s.open(src) }); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	s.buf.Write(s.schema.answered(s.added))
	if err := verify.Answer(ctx, cfg, s, s.row, s.answer); err != nil {
		return err
	}
	s.buf.WriteString(ipc.End)
	if err := s.buf.Flush(); err != nil {
		return err
	}
	if err := s.messages.ended(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (s *stream) open(in io.Reader) error {
	s.messages = messages{in: in, bodies: reading.NewBudget(math.MaxInt64, nil)}
	d, err := s.messages.next()
	switch {
	case err == io.EOF || err == nil && (d.kind != ipc.SchemaMessage || len(d.body) > 0):
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
			return fmt.Errorf("column %+q: %v, where bytes or text are needed", columns.Short(f.name), f)
		}
	}
	s.added = []string{Verdict, Reason}
	if s.spec.Scheme == reading.Recover {
		s.added = append(s.added, Sender)
	}
	for _, n := range s.added { // programs that ignore case would mix up names that are alike
		alike := func(other string) bool { return strings.EqualFold(other, n) }
		if i := slices.IndexFunc(names, alike); i >= 0 {
			return fmt.Errorf("the stream has a column %+q already: rename it", columns.Short(names[i]))
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
	var p *piece
	s.err = reading.Guard(func() (err error) {
		p, err = s.piece()
		return err
	})
	if s.err == nil {
		return p, nil
	}
	if s.err != io.EOF {
		s.err = fmt.Errorf("%s: batch %d: %w", name, s.count, s.err)
	}
	return nil, s.err
}

func (s *stream) piece() (*piece, error) {
	if s.batch == nil || s.next == s.batch.Length {
		if s.batch != nil {
			s.rows += s.batch.Length
		}
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	n := min(s.batch.Length-s.next, columns.RowsPerBatch)
	p := &piece{Batch: columns.Batch{Spec: s.spec, File: name, First: s.rows + s.next, Rows: int(n)}}
	for _, r := range s.spec.Used() {
		cells, column := &p.Cells[r], s.columns[s.at[r]]
		cells.Text = column.field.isText()
		for i := s.next; i < s.next+n; i++ {
			if value, ok := column.cell(i); ok {
				cells.Add(value)
			} else {
				cells.Fault(columns.Null)
			}
		}
	}
	if s.next += n; s.next == s.batch.Length {
		s.columns, p.whole = nil, s.batch
		p.Memory = int64(s.batch.size())
	}
	return p, nil
}

// read reads the next batch, or returns io.EOF.
func (s *stream) read() (err error) {
	b, err := s.messages.next()
	if err != nil {
		return err
	}
	if b.kind != ipc.BatchMessage {
		return fmt.Errorf("a message of kind %d between batches", b.kind)
	}
	if s.columns, err = b.vectors(s.schema.columns); err != nil {
		return err
	}
	s.batch, s.next = b, 0
	s.count++
	return nil
}

// row stores the verdict on the next row of the oldest batch without an answer.
func (s *stream) row(r *verify.Row) {
	sender := ""
	if r.Recovered {
		sender = "0x" + hex.EncodeToString(r.Sender[:])
	}
	for i, text := range []string{r.Verdict.String(), r.Reason, sender} {
		ipc.Append(&s.texts[i], text, text == "")
	}
}

// answer is called after the rows of a piece have got verdicts. If it is the last piece of its
// batch, answer writes the batch with the verdicts.
func (s *stream) answer(b reading.Batch) error {
	whole := b.(*piece).whole
	if whole == nil {
		return nil
	}
	if n := s.texts[0].Rows; n != whole.Length {
		return fmt.Errorf("%s: verdicts on %d rows of %d", name, n, whole.Length)
	}
	var list []*ipc.Column
	for i := range s.added {
		list = append(list, &s.texts[i])
	}
	whole.Write(s.buf, whole.body, list...)
	for i := range s.texts {
		s.texts[i].Reset()
	}
	if err := s.buf.Flush(); err != nil { // the first error of all writes
		return fmt.Errorf("%s: the answer to a batch: %w", name, err)
	}
	return nil
}
