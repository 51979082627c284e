package reading

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// bufferSize is the size of the read buffer in bytes, and chunkSize the maximum number of bytes
	// of it that the decoder takes at once.
	bufferSize = 64 << 10
	chunkSize  = 4 << 10

	// maxToken is the maximum number of bytes that the decoder may hold to read one token: a
	// string, number, or white space. The longest in use are transactions of Bitcoin in hex.
	maxToken = 22 << 20

	// maxScalar is the maximum length in bytes of a value for ShortValue. The numbers and hashes that
	// callers read have at most 100 bytes.
	maxScalar = 4 << 10

	// maxDepth is the maximum nesting depth in an Outline, and of lists at a Place; blocks and
	// transactions have ten levels.
	maxDepth = 100
)

// A Position is a position in the decompressed file.
type Position struct {
	Offset int64 // number of bytes before the position
	Line   int   // line number, from 1
}

// A JSON reads JSON documents of any length (RFC 8259) token by token or value by value, in bounded
// memory. Its errors state line numbers. It never holds in memory a value that the caller skips,
// but for one token of it. It keeps a value for which the caller asks without its white space, and
// only if the value is not longer than a limit.
type JSON struct {
	file    string
	what    string
	in      *jsonSource
	d       *jsontext.Decoder
	base    int64  // offset in the file of the decoder's first byte
	some    bool   // Enter has found a value, or reading resumed after one
	scratch []byte // memory for the text of short values
	err     error  // the error of the place from which reading resumes

	// taken is the number of values of the list at the top level, and passed of those passed over.
	taken, passed int

	bracket [1]byte // the text that token returns for a bracket
}

// A jsonSource is the reader from which the decoder of a JSON reads.
type jsonSource struct {
	*bufio.Reader
	left int // number of bytes that may be read before the current token ends
	line int // line number after the bytes read
}

var errToken = fmt.Errorf("a string, a number or white space of more than %d MiB", maxToken>>20)

func (s *jsonSource) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, errToken
	}
	if _, err := s.Peek(1); err != nil {
		return 0, err
	}
	n, err := s.Reader.Read(b[:min(len(b), chunkSize, s.left)])
	s.left -= n
	s.line += bytes.Count(b[:n], newline)
	return n, err
}

// NewJSON returns a JSON of src. Error messages use noun, such as "block", for the file's contents.
func NewJSON(src Source, noun string) *JSON {
	r := &JSON{file: src.Name, what: noun}
	detail := jsonDetail{Line: 1}
	if err := src.From.Tell(&detail); err != nil {
		r.err = fmt.Errorf("no place in it: %w", err)
	}
	// The decoder first reads the brackets that are open at the place, and a value.
	before := strings.Repeat("[", min(detail.Lists, maxDepth))
	if detail.Value && before != "" {
		before += "null"
	}
	r.base = src.From.Skipped() - int64(len(before))
	r.some = src.From.Skipped() > 0
	if detail.Value {
		r.taken = 1 // a place does not follow what was passed over
	}
	r.in = &jsonSource{left: maxToken, line: detail.Line, Reader: bufio.NewReaderSize(
		io.MultiReader(strings.NewReader(before), src.Reader), bufferSize)}
	r.d = jsontext.NewDecoder(r.in, jsonOptions...)
	for r.d.InputOffset() < int64(len(before)) {
		r.d.ReadToken()
	}
	return r
}

// jsonOptions make a decoder accept the texts that encoding/json accepts.
var jsonOptions = []jsontext.Options{jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true)}

// NewDecoder returns a decoder of a text that encoding/json accepts.
func NewDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text), jsonOptions...)
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
	_, elements := r.d.StackIndex(r.Depth())
	return NewPlace(here.Offset, jsonDetail{here.Line, r.Depth(), elements > 0})
}

// Depth returns the number of open objects and lists.
func (r *JSON) Depth() int { return r.d.StackDepth() }

// Here returns the position after the last token or value read.
func (r *JSON) Here() Position { return r.position(r.d.InputOffset()) }

// position returns the position of an offset that the decoder states. It must not be before the
// last token.
func (r *JSON) position(offset int64) Position {
	after := r.d.UnreadBuffer()
	after = after[min(int(offset-r.d.InputOffset()), len(after)):]
	return Position{r.base + offset, r.in.line - bytes.Count(after, newline)}
}

// Where returns pos as a Where.
func (r *JSON) Where(pos Position) Where {
	w := In(r.file)
	w.Offset, w.Line = pos.Offset, pos.Line
	return w
}

// Taken returns the number of bytes read from the source.
func (r *JSON) Taken() int64 {
	return r.base + r.d.InputOffset() + int64(len(r.d.UnreadBuffer())+r.in.Buffered())
}

// Drained reports whether the buffers hold nothing but white space, so that the next read may
// block.
func (r *JSON) Drained() bool {
	rest, _ := r.in.Peek(r.in.Buffered())
	return blank(r.d.UnreadBuffer()) && blank(rest)
}

// Fail returns an error at the reader's position.
func (r *JSON) Fail(format string, args ...any) error {
	return r.FailAt(r.Here(), fmt.Errorf(format, args...))
}

// FailAt returns err with the position pos.
func (r *JSON) FailAt(pos Position, err error) error {
	return &Error{File: r.file, Line: pos.Line, Offset: pos.Offset, Err: err}
}

// failed adds the position to an error of the decoder. It returns an error of the source that has
// one, and io.EOF after the last value, unchanged.
func (r *JSON) failed(err error) error {
	var syntax *jsontext.SyntacticError
	var placed *Error
	switch {
	case err == nil || err == io.EOF || errors.As(err, &placed):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the file ends in the middle of a %s", r.what)
	case errors.As(err, &syntax):
		return r.FailAt(r.position(syntax.ByteOffset),
			fmt.Errorf("bad JSON: %w", steady(syntax.Err)))
	case errors.Is(err, errToken):
		err = fmt.Errorf("bad JSON: %w", errToken)
	default:
		err = errors.Unwrap(err) // an error of the source
	}
	return r.FailAt(r.position(r.d.InputOffset()+int64(len(r.d.UnreadBuffer()))), err)
}

// steady returns err with the first byte of a character outside of ASCII in place of the character,
// and without an escape sequence: how many of their bytes the decoder has when it gives up depends
// on how the source returns them.
func steady(err error) error {
	const before = "invalid character '"
	text := err.Error()
	if strings.Contains(text, "invalid escape sequence") ||
		strings.Contains(text, "invalid surrogate pair") {
		return errors.New("invalid escape sequence in string")
	}
	i := strings.Index(text, before) + len(before)
	if i < len(before) {
		return err
	}
	c, wide, after, bad := strconv.UnquoteChar(text[i:], '\'')
	if bad != nil || !wide {
		return err
	}
	return fmt.Errorf(`%s\x%02x%s`, text[:i], string(c)[0], after)
}

// Peek returns the first byte of the next value, or the closing bracket if the innermost list has
// no more values. For a number it returns '0'. At the end of a complete file it returns io.EOF.
func (r *JSON) Peek() (byte, error) {
	if r.err != nil {
		return 0, r.FailAt(r.Here(), r.err)
	}
	r.in.left = maxToken
	kind := r.d.PeekKind()
	if kind != 0 {
		return byte(kind), nil
	}
	_, err := r.d.ReadToken()
	return 0, r.failed(err)
}

// token reads one token and returns its text, which is valid until the next read. It returns io.EOF
// at the end of a complete file.
func (r *JSON) token() ([]byte, error) {
	kind, err := r.Peek()
	if err != nil {
		return nil, err
	}
	if kind == '{' || kind == '}' || kind == '[' || kind == ']' {
		r.bracket[0] = kind
		_, err = r.d.ReadToken()
		return r.bracket[:], r.failed(err)
	}
	text, err := r.d.ReadValue()
	return text, r.failed(err)
}

// Token reads one token: a json.Delim, a string (also for a field's name), a json.Number, a bool or
// nil. The end of the file is an error.
func (r *JSON) Token() (json.Token, error) {
	text, err := r.token()
	if err == io.EOF {
		err = r.failed(io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, err
	}
	switch c := text[0]; c {
	case '{', '}', '[', ']':
		return json.Delim(c), nil
	case '"':
		return string(unquote(text)), nil
	case 't', 'f':
		return c == 't', nil
	case 'n':
		return nil, nil
	}
	return json.Number(text), nil
}

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
	c, err := r.Peek()
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

// Limits limit the values that are kept in memory.
type Limits struct {
	Bytes int // maximum length of the text without white space
	Items int // maximum number of elements in the value, or in its fields' lists
	Inner int // maximum number of elements in all lists nested deeper
}

// A Value is one JSON value.
type Value struct {
	Text  []byte   // text without white space; nil if Over is set
	Place Position // position of the value's first byte
	Items int      // Items and Inner are counts, as in Limits
	Inner int
	Over  error // error for the limit that the value exceeds, or nil
}

// Value reads one value. If the value exceeds the limits, Value still reads to its end, but returns
// no text.
func (r *JSON) Value(l Limits) (v Value, err error) {
	text, outside := r.scratch[:0], r.Depth()
	for first := true; first || r.Depth() > outside; first = false {
		depth := r.Depth()
		parent, before := r.d.StackIndex(depth)
		token, err := r.token()
		switch {
		case err == io.EOF:
			return v, r.failed(io.ErrUnexpectedEOF)
		case err != nil:
			return v, err
		case r.Depth() < outside:
			return v, r.Fail("bad JSON: a value is wanted, not %s", token)
		}
		switch {
		case first:
			v.Place = r.Here()
			v.Place.Offset -= int64(len(token))
		case r.Depth() < depth: // a closing bracket
		case parent == '{' && before%2 == 1:
			text = append(text, ':')
		case before > 0:
			text = append(text, ',')
		}
		if !first && parent == '[' && r.Depth() >= depth {
			v.count(depth-outside, l)
		}
		if len(text)+len(token) > l.Bytes {
			v.over("more than %d bytes", l.Bytes)
		}
		if v.Over == nil {
			text = append(text, token...)
		}
	}
	switch {
	case v.Over != nil:
	case cap(text) <= bufferSize:
		r.scratch = text
		v.Text = bytes.Clone(text)
	default:
		v.Text = text
	}
	return v, nil
}

// count counts an element of a list. depth is the list's nesting depth in the value, from 1.
func (v *Value) count(depth int, l Limits) {
	n, limit := &v.Items, l.Items
	if depth > 2 {
		n, limit = &v.Inner, l.Inner
	}
	if *n++; *n > limit {
		v.over("more than %d elements in its lists", limit)
	}
}

// over sets v.Over, unless v is over another limit.
func (v *Value) over(format string, limit int) {
	if v.Over == nil {
		v.Over = fmt.Errorf(format, limit)
	}
}

// Skip skips one value of any kind and length.
func (r *JSON) Skip() error {
	_, err := r.Value(Limits{})
	return err
}

// ShortValue returns the text of one value without white space. A value of more than 4 KiB is an
// error.
func (r *JSON) ShortValue() ([]byte, error) {
	v, err := r.Value(Limits{maxScalar, maxScalar, maxScalar})
	if err == nil && v.Over != nil {
		err = r.FailAt(v.Place, fmt.Errorf("bad %s: a value of %w", r.what, v.Over))
	}
	return v.Text, err
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
