// Package arrowstream verifies the rows of an Arrow IPC stream, and writes the stream with the
// verdicts in additional columns.
//
// Run answers each batch with one batch, in order, and flushes it, so that a program that sends a
// batch and waits gets its answer. Memory is bounded: batches have a size limit, and few batches
// are in progress at a time.
package arrowstream

//ci:untested The tests of koblitz stream run it.

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bounded"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// Limits on a batch. Spark sends batches of 10,000 rows by default.
const (
	maxBody = 32 << 20 // limit on a batch in bytes, compressed and decompressed
	maxRows = 1 << 17
	maxMeta = 1 << 20 // bytes of the metadata of the stream or of one batch
	// maxHeld limits the total bytes of all batches in progress: the batch being read, and the
	// batches being verified, which check.Memory limits.
	maxHeld = 3 * maxBody
)

var errHeld = fmt.Errorf("a batch takes more than %d MiB: send smaller ones", maxBody>>20)

// Names of the columns that Run appends.
const (
	Verdict = "verdict" // as in reports: valid, invalid, malformed, recovered
	Reason  = "reason"  // null for a valid row
	Sender  = "sender"  // recovery: the address as 0x and hex digits, or null
)

// A stream is the state of one call of Run.
type stream struct {
	spec     *columns.Spec
	name     string
	in       *ipc.Reader
	messages *messages          // reads the messages for in
	arrays   arrays             // checks the batches that in returns
	at       [columns.Roles]int // column number of each role
	buf      *bufio.Writer
	out      *ipc.Writer
	schema   *arrow.Schema // schema of out

	batch arrow.RecordBatch // the batch being split; nil before the first
	next  int               // number of the first row of batch that is in no piece yet
	rows  int64             // number of rows of earlier batches
	count int               // number of batches read
	err   error             // the error that ended reading

	mu     sync.Mutex
	pieces []piece // pieces that lack verdicts, in order

	verdicts, reasons, senders *array.StringBuilder
}

// A piece is a range of rows of a batch. last reports whether it is the batch's last piece.
type piece struct {
	batch arrow.RecordBatch
	last  bool
}

// Run reads a stream from in and writes the answer to out. cfg configures the verification. If Run
// ends before the stream does, it returns an error, and out lacks the end-of-stream marker. Bytes
// after the end of the stream, such as a second stream, are also an error, but then out is
// complete.
func Run(ctx context.Context, cfg check.Config, in io.Reader, out io.Writer,
	spec columns.Spec) error {
	s := &stream{spec: &spec, name: "stdin", buf: bufio.NewWriterSize(out, 64<<10)}
	if err := bounded.Guard(func() error { return s.open(in) }); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if err := check.Answer(ctx, cfg, s, s.row, s.answer); err != nil {
		return err
	}
	err := bounded.Guard(func() error { return errors.Join(s.out.Close(), s.buf.Flush()) })
	if err != nil {
		return err
	}
	if err := s.messages.ended(ctx); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

func (s *stream) open(in io.Reader) error {
	s.messages = &messages{in: in, unpacker: unpacker{mem: bounded.New(maxHeld, errHeld)}}
	var err error
	s.in, err = ipc.NewReaderFromMessageReader(s.messages, ipc.WithDelayReadSchema(false),
		ipc.WithEnsureNativeEndian(false), ipc.WithAllocator(bounded.New(maxHeld, errHeld)))
	if err != nil {
		return s.readError(err)
	}
	schema := s.in.Schema()
	// arrow-go would convert a buffer that two columns share twice, and never converts views.
	if !schema.IsNativeEndian() {
		return errors.New("the stream has the byte order of other machines than this one")
	}
	if s.messages.plan, err = newPlan(schema, s.messages.ids); err != nil {
		return err
	}
	for _, r := range s.spec.Used() {
		if s.at[r], err = find(schema, s.spec.Names[r]); err != nil {
			return err
		}
	}
	fields := schema.Fields()
	for _, f := range fields {
		if err := s.spec.Alike(f.Name); err != nil {
			return err
		}
	}
	added := []string{Verdict, Reason}
	if s.spec.Scheme == rows.Recover {
		added = append(added, Sender)
	}
	for _, name := range added {
		for _, f := range schema.Fields() {
			if strings.EqualFold(f.Name, name) { // programs that ignore case would mix them up
				return fmt.Errorf("the stream has a column %q already: rename it", columns.Short(f.Name))
			}
		}
		fields = append(fields, arrow.Field{Name: name, Type: arrow.BinaryTypes.String,
			Nullable: name != Verdict})
	}
	meta := schema.Metadata()
	s.schema = arrow.NewSchema(fields, &meta)
	s.out = ipc.NewWriter(s.buf, ipc.WithSchema(s.schema))
	mem := memory.NewGoAllocator()
	s.verdicts, s.reasons, s.senders = array.NewStringBuilder(mem), array.NewStringBuilder(mem),
		array.NewStringBuilder(mem)
	return nil
}

// find returns the number of the column called name. The column must hold bytes or text.
func find(schema *arrow.Schema, name string) (int, error) {
	at := schema.FieldIndices(name)
	if len(at) == 0 {
		var names []string
		for _, f := range schema.Fields() {
			names = append(names, f.Name)
		}
		return 0, fmt.Errorf("there is no column %q; there are %s", columns.Short(name),
			columns.Listed(names))
	}
	if len(at) > 1 {
		return 0, fmt.Errorf("there are two columns %q", columns.Short(name))
	}
	if t := schema.Field(at[0]).Type; !readable(t) {
		return 0, fmt.Errorf("column %q: %v, where bytes or text are needed", columns.Short(name), t)
	}
	return at[0], nil
}

func (s *stream) Close() error { return nil }

// Next returns the next piece of the current batch as a rows.Batch. After the batch's last piece it
// reads the next batch. A batch without rows has one piece.
func (s *stream) Next() (rows.Batch, error) {
	if s.err != nil {
		return nil, s.err
	}
	var b *columns.Batch
	s.err = bounded.Guard(func() (err error) {
		b, err = s.piece()
		return err
	})
	if s.err != nil && s.err != io.EOF {
		s.err = fmt.Errorf("%s: batch %d: %w", s.name, s.count, s.err)
	}
	if s.err != nil {
		return nil, s.err
	}
	return b, nil
}

func (s *stream) piece() (*columns.Batch, error) {
	if s.batch == nil || s.next == int(s.batch.NumRows()) {
		if s.batch != nil {
			s.rows += s.batch.NumRows()
		}
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	n := min(int(s.batch.NumRows())-s.next, columns.RowsPerBatch)
	b := &columns.Batch{Spec: s.spec, File: s.name, First: s.rows + int64(s.next), Rows: n}
	for _, r := range s.spec.Used() {
		cells := &b.Cells[r]
		cells.Text = isText(s.batch.Column(s.at[r]).DataType(), s.spec.Encoding)
		cells.Grow(n)
		if err := appendCells(cells, s.batch.Column(s.at[r]), s.next, n); err != nil {
			return nil, fmt.Errorf("column %q: %w", columns.Short(s.spec.Names[r]), err)
		}
	}
	s.next += n
	last := s.next == int(s.batch.NumRows())
	if last {
		b.Extra = size(s.batch)
	}
	s.mu.Lock()
	s.pieces = append(s.pieces, piece{s.batch, last})
	s.mu.Unlock()
	return b, nil
}

// read reads the next batch, or returns io.EOF.
func (s *stream) read() error {
	if !s.in.Next() {
		if err := s.in.Err(); err != nil {
			return s.readError(err)
		}
		return io.EOF
	}
	b := s.in.RecordBatch()
	if err := s.arrays.check(b); err != nil {
		return err
	}
	b.Retain()
	s.batch, s.next = b, 0
	s.count++
	return nil
}

// readError returns the error of an exceeded limit if such a limit caused err, an error of
// arrow-go. Otherwise it returns err without the library's name.
func (s *stream) readError(err error) error {
	switch {
	case s.messages.limit != nil:
		return s.messages.limit
	case errors.Is(err, errHeld):
		return errHeld
	}
	return arrowError(err)
}

// size returns the total size of a batch's buffers in bytes.
func size(b arrow.RecordBatch) (n int64) {
	for _, c := range b.Columns() {
		n += int64(c.Data().SizeInBytes())
	}
	return n
}

// row stores the verdict on the next row of the oldest piece.
func (s *stream) row(r *check.Row) {
	s.verdicts.Append(r.Verdict.String())
	if r.Reason == "" {
		s.reasons.AppendNull()
	} else {
		s.reasons.Append(r.Reason)
	}
	if r.Recovered {
		s.senders.Append("0x" + hex.EncodeToString(r.Sender[:]))
	} else {
		s.senders.AppendNull()
	}
}

// done removes the oldest piece, whose rows all have verdicts. If it is the last piece of its
// batch, done writes the batch with the verdicts.
func (s *stream) done() error {
	s.mu.Lock()
	p := s.pieces[0]
	s.pieces = s.pieces[1:]
	s.mu.Unlock()
	if !p.last {
		return nil
	}
	list := append([]arrow.Array{}, p.batch.Columns()...)
	list = append(list, s.verdicts.NewArray(), s.reasons.NewArray())
	if senders := s.senders.NewArray(); s.spec.Scheme == rows.Recover {
		list = append(list, senders)
	}
	if got := int64(list[len(list)-1].Len()); got != p.batch.NumRows() {
		return fmt.Errorf("%d verdicts on %d rows", got, p.batch.NumRows())
	}
	out := array.NewRecordBatch(s.schema, list, p.batch.NumRows())
	err := s.out.Write(out)
	out.Release()
	p.batch.Release()
	return errors.Join(err, s.buf.Flush())
}

// answer calls done and says in its error that writing the answer to a batch failed.
func (s *stream) answer() error {
	if err := bounded.Guard(s.done); err != nil {
		return fmt.Errorf("%s: the answer to a batch: %w", s.name, arrowError(err))
	}
	return nil
}

// arrowError removes the name of arrow-go from the text of err.
func arrowError(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "arrow/ipc: "))
}
