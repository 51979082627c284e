package reading

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// bufferSize is the size of the read buffer in bytes.
	bufferSize = 64 << 10

	// maxDepth is the maximum nesting depth of objects and lists; blocks and transactions have ten
	// levels. It bounds the recursion of code that decodes a value later.
	maxDepth = 100

	// maxScalar is the maximum length in bytes of a token, or of a value for Decode. The names,
	// numbers and hashes that callers read in these two ways have at most 100 bytes.
	maxScalar = 4 << 10
)

// A Position is a position in the decompressed file.
type Position struct {
	Offset int64 // number of bytes before the position
	Line   int   // line number, from 1
}

// A JSON reads JSON documents of any length (RFC 8259) token by token or value by value, in bounded
// memory. Its errors state line numbers. It never holds in memory a value that the caller skips. It
// keeps a value for which the caller asks without its white space, and only if the value is not
// longer than a limit.
type JSON struct {
	file string
	what string

	src  io.Reader
	buf  []byte
	i, n int   // buf[i:n] is read but not consumed
	base int64 // offset of buf[0]
	line int   // line of buf[i]
	err  error // the error of src, returned after buf[i:n] is consumed

	open  []byte // open brackets, outermost first
	some  bool   // Element has returned a value, or reading resumed after one
	after state

	keep  *keeper // collects the value being read, or nil
	start int     // buf[start:i] is part of the value but not yet in keep
	room  []byte  // scratch space for the text of short values
}

// A state is the kind of token before the reader's position in the innermost open object or list.
type state uint8

const (
	afterBracket state = iota + 1 // the last token is an opening bracket
	afterValue
	afterComma
	afterColon
)

// NewJSON returns a JSON of src. Error messages use noun, such as "block", for the file's contents.
func NewJSON(src Source, noun string) *JSON {
	r := &JSON{file: src.Name, what: noun, src: src.Reader, buf: make([]byte, bufferSize),
		room: make([]byte, 0, maxScalar)}
	d := jsonDetail{Line: 1}
	if err := src.From.Tell(&d); err != nil {
		r.err = fmt.Errorf("no place in it: %w", err)
	}
	r.base, r.line = src.From.Skipped(), d.Line
	r.some = r.base > 0
	r.open, r.after = []byte(strings.Repeat("[", min(d.Lists, maxDepth))), afterBracket
	if d.Value {
		r.after = afterValue
	}
	return r
}

// A jsonDetail is the data, stored in a Place, that a JSON needs to resume.
type jsonDetail struct {
	Line  int  `json:"line"`            // line number, from 1
	Lists int  `json:"lists,omitempty"` // number of lists that are open at the place
	Value bool `json:"value,omitempty"` // the place follows a value
}

// Place returns the place after the last value read. No object may be open there, only lists.
func (r *JSON) Place() *Place {
	here := r.Here()
	return NewPlace(here.Offset, jsonDetail{here.Line, len(r.open), r.after == afterValue})
}

// Depth returns the number of open objects and lists.
func (r *JSON) Depth() int { return len(r.open) }

// Peek returns the first byte of the next value, or the closing bracket if the innermost list has
// no more values. It skips a comma before the value. At the end of a complete file it returns
// io.EOF.
func (r *JSON) Peek() (byte, error) {
	c, err := r.advance()
	if err == io.EOF && len(r.open) == 0 {
		return 0, io.EOF
	}
	if err != nil {
		return 0, r.ended(err)
	}
	return c, nil
}

// Here returns the position after the last token or value read.
func (r *JSON) Here() Position { return Position{r.base + int64(r.i), r.line} }

// Where returns pos as a Where.
func (r *JSON) Where(pos Position) Where {
	w := In(r.file)
	w.Offset, w.Line = pos.Offset, pos.Line
	return w
}

// Taken returns the number of bytes read from the source.
func (r *JSON) Taken() int64 { return r.base + int64(r.n) }

// Drained reports whether the buffer holds nothing but white space, so that the next read may
// block.
func (r *JSON) Drained() bool {
	for _, c := range r.buf[r.i:r.n] {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

// Fail returns an error at the reader's position.
func (r *JSON) Fail(format string, args ...any) error {
	return r.FailAt(r.Here(), fmt.Errorf(format, args...))
}

// FailAt returns err with the position pos.
func (r *JSON) FailAt(pos Position, err error) error {
	return &Error{File: r.file, Line: pos.Line, Offset: pos.Offset, Err: err}
}

// syntax returns the error for the byte c at a position where JSON requires the wanted text.
func (r *JSON) syntax(wanted string, c byte) error {
	return r.Fail("bad JSON: %s is wanted, not %s", wanted, Quote([]byte{c}))
}

// ended adds the reader's position to err, an error that fill returned where more JSON text must
// follow. If err already has a position, ended returns err unchanged.
func (r *JSON) ended(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("the file ends in the middle of a %s", r.what)
	}
	return r.FailAt(r.Here(), err)
}

// Token reads one token. The end of the file is an error.
func (r *JSON) Token() (json.Token, error) {
	t, err := r.Next()
	if err == io.EOF {
		err = r.ended(err)
	}
	return t, err
}

// Next is like Token, but returns io.EOF at the end of the file. A token is a json.Delim, a string
// (also for a field's name), a json.Number, a bool or nil. Instead of a name that is too long,
// which no caller looks for, it returns "".
func (r *JSON) Next() (json.Token, error) {
	c, err := r.Peek()
	if err != nil {
		return nil, err
	}
	isName := r.nameNext()
	v := Value{Place: r.Here()}
	k := keeper{text: r.room[:0], limits: Limits{Bytes: maxScalar}}
	if err := r.collect(&k, func(r *JSON) error { return r.token(c) }); err != nil {
		return nil, err
	}
	switch v.Over = k.over; {
	case v.Over != nil && isName:
		return "", nil
	case v.Over != nil:
		return nil, v.refuse(r)
	case bytes.IndexByte([]byte("{}[]"), c) >= 0:
		return json.Delim(c), nil
	}
	r.room = k.text
	return scalar(bytes.TrimSuffix(k.text, []byte{':'})), nil
}

// scalar returns the token for text, which is a value but neither an object nor a list.
func scalar(text []byte) json.Token {
	switch text[0] {
	case '"':
		return unquoted(text)
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	}
	return json.Number(text)
}

// unquoted decodes a quoted JSON string like encoding/json: it replaces each byte that is not valid
// UTF-8 by U+FFFD.
func unquoted(quoted []byte) string { return string(unquote(quoted)) }

// Show formats a token for an error message: it quotes text from the file and cuts long numbers.
func Show(t json.Token) string {
	switch t := t.(type) {
	case string:
		return Quote(t)
	case json.Number:
		return fmt.Sprintf("%.40s", string(t))
	case nil:
		return "null"
	}
	return fmt.Sprint(t)
}

// More reports whether the innermost list or object has another element.
func (r *JSON) More() bool {
	c, err := r.space()
	return err == nil && c != ']' && c != '}'
}

// Delim reads one token and returns an error unless it is the delimiter want. The error contains
// description, which describes the delimiter.
func (r *JSON) Delim(want json.Delim, description string) error {
	t, err := r.Token()
	if err != nil {
		return err
	}
	if t != want {
		return r.Fail("%s is wanted, not %s", description, Show(t))
	}
	return nil
}

// Skip skips one value of any kind and length.
func (r *JSON) Skip() error {
	if err := r.value(); err != nil {
		return err
	}
	return r.scan()
}

// Decode reads one value of at most 4 KiB and decodes it into v as json.Unmarshal does.
func (r *JSON) Decode(v any) error {
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
	return r.FailAt(value.Place, fmt.Errorf("bad %s: %s", r.what, JSONReason(err)))
}

// JSONReason returns the text of an error of json.Unmarshal without the names of Go types.
func JSONReason(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		text := fmt.Sprintf("%.40s where %v is wanted", mismatch.Value, mismatch.Type.Kind())
		if mismatch.Field != "" {
			text += ", in " + mismatch.Field
		}
		return text
	}
	return Short(strings.TrimPrefix(err.Error(), "json: "))
}
