// Package jsonfile reads JSON documents of any length token by token, with a
// bound on what one value may take, and knows in which line everything stands.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// MaxValue is how long one value may be that is read as a whole: a Bitcoin
// transaction of 4 MB, in hex twice and disassembled once, has room.
const MaxValue = 32 << 20

// A Reader reads one file.
type Reader struct {
	file  string
	what  string
	dec   *json.Decoder
	lines lineCounter
}

// New reads src. what is the thing that errors name if the file ends in the
// middle of one, such as "block".
func New(src rows.Source, what string) *Reader {
	r := &Reader{file: src.Name, what: what, lines: lineCounter{r: src.Reader, budget: MaxValue}}
	r.dec = json.NewDecoder(&r.lines)
	return r
}

// Offset is that of the end of the last token or value.
func (r *Reader) Offset() int64 { return r.dec.InputOffset() }

// Taken is the number of bytes that were read from the source.
func (r *Reader) Taken() int64 { return r.lines.n }

// Drained reports whether nothing but space is left of what was read, so that
// going on may mean to wait.
func (r *Reader) Drained() bool {
	rest, err := io.ReadAll(r.dec.Buffered())
	return err == nil && len(bytes.TrimSpace(rest)) == 0
}

// Line is the line, from 1, in which the byte at offset is; offsets must not go
// back.
func (r *Reader) Line(offset int64) int { return r.lines.line(offset) }

// Fail is an error at the place to which the reader has come.
func (r *Reader) Fail(format string, args ...any) error {
	return r.FailAt(r.Offset(), fmt.Errorf(format, args...))
}

// FailAt is an error at that offset.
func (r *Reader) FailAt(offset int64, err error) error {
	return &rows.Error{File: r.file, Line: r.lines.line(offset), Offset: offset, Err: err}
}

// broken turns an error of the decoder into one that says where it is. The
// decoder itself counts only some of the bytes that it has passed.
func (r *Reader) broken(err error) error {
	at := r.dec.InputOffset()
	switch {
	case r.lines.err != nil && r.lines.err != io.EOF:
		return r.FailAt(r.lines.n, r.lines.err)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return r.FailAt(r.lines.n, fmt.Errorf("the file ends in the middle of a %s", r.what))
	}
	if b, e := io.ReadAll(r.dec.Buffered()); e == nil {
		var syntax *json.SyntaxError
		var x json.RawMessage
		if errors.As(json.Unmarshal(b, &x), &syntax) && syntax.Offset > 0 {
			at += syntax.Offset - 1
		}
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		err = fmt.Errorf("bad %s: %s where %v is wanted", r.what, mismatch.Value, mismatch.Type)
	} else {
		err = fmt.Errorf("bad JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return r.FailAt(at, err)
}

// Decode reads one value.
func (r *Reader) Decode(v any) error {
	r.lines.budget = MaxValue
	if err := r.dec.Decode(v); err != nil {
		return r.broken(err)
	}
	return nil
}

// Token reads one token. The end of the file is an error.
func (r *Reader) Token() (json.Token, error) {
	t, err := r.Next()
	if err == io.EOF {
		err = r.broken(err)
	}
	return t, err
}

// Next is Token where the file may end: the error is then io.EOF itself.
func (r *Reader) Next() (json.Token, error) {
	r.lines.budget = MaxValue
	t, err := r.dec.Token()
	if err != nil && (err != io.EOF || r.lines.err != io.EOF) {
		err = r.broken(err)
	}
	return t, err
}

// More reports whether the list or the object that was begun goes on.
func (r *Reader) More() bool {
	r.lines.budget = MaxValue
	return r.dec.More()
}

// Delim reads one token, which must be that delimiter.
func (r *Reader) Delim(want json.Delim, what string) error {
	t, err := r.Token()
	if err != nil {
		return err
	}
	if t != want {
		return r.Fail("%s is wanted, not %v", what, t)
	}
	return nil
}

// Skip reads one value of whatever kind.
func (r *Reader) Skip() error {
	var skip json.RawMessage
	return r.Decode(&skip)
}

// Refusal reads the error of a JSON-RPC answer, and fails with it unless it is
// null.
func (r *Reader) Refusal() error {
	var answer json.RawMessage
	if err := r.Decode(&answer); err != nil {
		return err
	}
	if string(answer) != "null" {
		return r.Fail("instead of a block the node answered: %.200s", answer)
	}
	return nil
}

// A lineCounter counts what is read through it, and knows where lines begin.
type lineCounter struct {
	r        io.Reader
	n        int64
	err      error
	budget   int     // bytes until one value is too long
	newlines []int64 // offsets, of those after the last question
	before   int     // newlines before these
}

func (l *lineCounter) Read(b []byte) (n int, err error) {
	if l.budget <= 0 {
		l.err = fmt.Errorf("a JSON value of more than %d MiB", MaxValue>>20)
		return 0, l.err
	}
	n, err = l.r.Read(b)
	for i := 0; ; i++ {
		j := bytes.IndexByte(b[i:n], '\n')
		if j < 0 {
			break
		}
		i += j
		l.newlines = append(l.newlines, l.n+int64(i))
	}
	l.n += int64(n)
	l.budget -= n
	if err != nil {
		l.err = err
	}
	return n, err
}

func (l *lineCounter) line(offset int64) int {
	i := 0
	for i < len(l.newlines) && l.newlines[i] < offset {
		i++
	}
	l.before += i
	l.newlines = append(l.newlines[:0], l.newlines[i:]...)
	return l.before + 1
}
