// Package jsonfile reads JSON documents of any length (RFC 8259) token by token
// and value by value, in bounded memory, and knows in which line everything
// stands. Values that are passed over are never held; values that are kept are
// kept without the white space between their parts, and up to a limit.
package jsonfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

const (
	// BufferSize is what is read at once, and held.
	BufferSize = 64 << 10

	// maxDepth is how deep objects and lists may be nested. Blocks and
	// transactions have ten levels; the limit bounds the recursion in
	// decoding a value that is kept.
	maxDepth = 100

	// maxScalar is how many bytes one token, or one value that Decode reads, may
	// have: the names, numbers and hashes that are read so have at most 100.
	maxScalar = 4 << 10
)

// A Place is where in a file something stands.
type Place struct {
	Offset int64 // bytes before it
	Line   int   // from 1
}

// A Reader reads one file.
type Reader struct {
	file string
	what string

	src  io.Reader
	buf  []byte
	i, n int   // buf[i:n] has been read and not yet been passed
	base int64 // offset of buf[0]
	line int   // of buf[i]
	err  error // why src gives no more

	open  []byte   // the brackets that are open, outermost first
	names []string // of the field that was begun last in each of them; empty in a list
	after state

	keep  *keeper // of the value that is being read, or nil
	start int     // buf[start:i] belongs to keep
	room  []byte  // for the text of short values
}

// A state says what stands before the place of the reader in the innermost
// object or list.
type state uint8

const (
	afterBracket state = iota + 1 // that opens it
	afterValue
	afterComma
	afterColon
)

// New reads src. what is the thing that errors name if the file ends in the
// middle of one, such as "block".
func New(src rows.Source, what string) *Reader {
	r := &Reader{file: src.Name, what: what, src: src.Reader, buf: make([]byte, BufferSize),
		room: make([]byte, 0, maxScalar)}
	d := detail{Line: 1}
	if err := src.From.Tell(&d); err != nil {
		r.err = fmt.Errorf("no place in it: %w", err)
	}
	r.base, r.line = src.From.Skipped(), d.Line
	r.open, r.after = []byte(strings.Repeat("[", min(d.Lists, maxDepth))), afterBracket
	r.names = make([]string, len(r.open))
	if d.Value {
		r.after = afterValue
	}
	return r
}

// A detail is what a reader wants to know that begins at a place (rows.Place).
type detail struct {
	Line  int  `json:"line"`            // there, from 1
	Lists int  `json:"lists,omitempty"` // that are open
	Value bool `json:"value,omitempty"` // it is behind a value
}

// Place is the place behind the last value, where nothing but lists is open.
func (r *Reader) Place() *rows.Place {
	here := r.Here()
	return rows.NewPlace(here.Offset, detail{here.Line, len(r.open), r.after == afterValue})
}

// Depth is how many objects and lists are open.
func (r *Reader) Depth() int { return len(r.open) }

// Peek returns the byte with which the next value begins, or the bracket that ends what is open.
// It passes over a comma before it. The error is io.EOF where the file may end.
func (r *Reader) Peek() (byte, error) {
	c, err := r.advance()
	if err == io.EOF && len(r.open) == 0 {
		return 0, io.EOF
	}
	if err != nil {
		return 0, r.ended(err)
	}
	return c, nil
}

// Here is the place behind the last token or value.
func (r *Reader) Here() Place { return Place{r.base + int64(r.i), r.line} }

// Taken is the number of bytes that were read from the source.
func (r *Reader) Taken() int64 { return r.base + int64(r.n) }

// Drained reports whether nothing but space is left of what was read, so that
// going on may mean to wait.
func (r *Reader) Drained() bool {
	for _, c := range r.buf[r.i:r.n] {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

// Fail is an error at the place to which the reader has come.
func (r *Reader) Fail(format string, args ...any) error {
	return r.FailAt(r.Here(), fmt.Errorf(format, args...))
}

// FailAt is an error at that place.
func (r *Reader) FailAt(at Place, err error) error {
	return &rows.Error{File: r.file, Line: at.Line, Offset: at.Offset, Err: err}
}

// syntax is the error for what no JSON text has at this place.
func (r *Reader) syntax(wanted string, got byte) error {
	return r.Fail("bad JSON: %s is wanted, not %s", wanted, printable.Quote([]byte{got}))
}

// ended turns an error of fill in the middle of something into one that says
// where it is. An error that says so already stays.
func (r *Reader) ended(err error) error {
	var e *rows.Error
	if errors.As(err, &e) {
		return err
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("the file ends in the middle of a %s", r.what)
	}
	return r.FailAt(r.Here(), err)
}

// Token reads one token. The end of the file is an error.
func (r *Reader) Token() (json.Token, error) {
	t, err := r.Next()
	if err == io.EOF {
		err = r.ended(err)
	}
	return t, err
}

// Next is Token where the file may end: the error is then io.EOF itself. A token
// is a json.Delim, a string (the name of a field, too), a json.Number, a bool or
// nil.
func (r *Reader) Next() (json.Token, error) {
	c, err := r.advance()
	if err != nil {
		if err == io.EOF && len(r.open) == 0 {
			return nil, io.EOF
		}
		return nil, r.ended(err)
	}
	if n := len(r.open); n > 0 {
		bracket := r.open[n-1]
		if c == closing(bracket) && r.after != afterComma && r.after != afterColon {
			r.i++
			r.open, r.names = r.open[:n-1], r.names[:n-1]
			r.after = afterValue
			return json.Delim(c), nil
		}
		if bracket == '{' && r.after != afterColon {
			return r.name(c)
		}
	}
	if c == '{' || c == '[' {
		if len(r.open) == maxDepth {
			return nil, r.tooDeep()
		}
		r.i++
		r.open, r.names = append(r.open, c), append(r.names, "")
		r.after = afterBracket
		return json.Delim(c), nil
	}
	v, err := r.Value(Limits{Bytes: maxScalar})
	if err == nil {
		err = v.refuse(r)
	}
	if err != nil {
		return nil, err
	}
	return scalar(v.Text), nil
}

// name reads the name of a field, which begins with c, and the colon behind it.
func (r *Reader) name(c byte) (json.Token, error) {
	if c != '"' {
		return nil, r.syntax("the name of a field", c)
	}
	k := keeper{text: r.room[:0], limits: Limits{Bytes: maxScalar}}
	if err := r.collect(&k, (*Reader).string); err != nil {
		return nil, err
	}
	if k.over == nil {
		r.room = k.text
	}
	c, err := r.space()
	switch {
	case err != nil:
		return nil, r.ended(err)
	case c != ':':
		return nil, r.syntax("':'", c)
	}
	r.i++
	r.after = afterColon
	name := &r.names[len(r.names)-1]
	if *name = ""; k.over == nil { // no field that anyone asks for has a longer name
		*name = Text(k.text)
	}
	return *name, nil
}

// scalar is the token of a value that is no object and no list.
func scalar(text []byte) json.Token {
	switch text[0] {
	case '"':
		return Text(text)
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	}
	return json.Number(text)
}

// Text returns what a string in quotes stands for, as encoding/json reads it: each byte that is no
// UTF-8 is U+FFFD.
func Text(quoted []byte) (s string) {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	if err := json.Unmarshal(quoted, &s); err != nil {
		panic(err) // it was found to be a string
	}
	return s
}

// Show is a token for an error: what comes from the file stands in quotes or is
// a short number.
func Show(t json.Token) string {
	switch t := t.(type) {
	case string:
		return printable.Quote(t)
	case json.Number:
		return fmt.Sprintf("%.40s", string(t))
	case nil:
		return "null"
	}
	return fmt.Sprint(t)
}

// More reports whether the list or the object that was begun goes on.
func (r *Reader) More() bool {
	c, err := r.space()
	return err == nil && c != ']' && c != '}'
}

// Delim reads one token, which must be that delimiter.
func (r *Reader) Delim(want json.Delim, what string) error {
	t, err := r.Token()
	if err != nil {
		return err
	}
	if t != want {
		return r.Fail("%s is wanted, not %s", what, Show(t))
	}
	return nil
}

// Skip passes over one value of whatever kind and length.
func (r *Reader) Skip() error {
	if err := r.value(); err != nil {
		return err
	}
	return r.scan()
}

// Decode reads one value of at most 4 KiB.
func (r *Reader) Decode(v any) error {
	value, err := r.Value(Limits{Bytes: maxScalar})
	if err == nil {
		err = value.refuse(r)
	}
	if err != nil {
		return err
	}
	if err = json.Unmarshal(value.Text, v); err == nil {
		return nil
	}
	return r.FailAt(value.Place, fmt.Errorf("bad %s: %s", r.what, Reason(err)))
}

// maxReason is the most bytes of an error that comes with text from the file.
const maxReason = 200

// Reason is the text of an error of json.Unmarshal without the names of Go.
func Reason(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		text := fmt.Sprintf("%.40s where %v is wanted", mismatch.Value, mismatch.Type.Kind())
		if mismatch.Field != "" {
			text += ", in " + mismatch.Field
		}
		return text
	}
	text := strings.TrimPrefix(err.Error(), "json: ")
	return printable.Text(text[:min(len(text), maxReason)])
}

// Refusal reads the error of a JSON-RPC answer, and fails with it unless it is
// null.
func (r *Reader) Refusal() error {
	v, err := r.Value(Limits{Bytes: maxScalar})
	switch {
	case err != nil:
		return err
	case v.Over != nil:
		return r.FailAt(v.Place,
			fmt.Errorf("instead of a %s the node answered with a very long error", r.what))
	case string(v.Text) != "null":
		return r.FailAt(v.Place, fmt.Errorf("instead of a %s the node answered: %s", r.what,
			printable.Text(string(v.Text[:min(len(v.Text), maxReason)]))))
	}
	return nil
}
