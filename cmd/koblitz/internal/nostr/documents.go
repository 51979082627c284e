package nostr

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// AreDocuments reports whether the JSON values of a file span several lines, as in a list of events
// or in indented events. NewDocuments reads such files, and NewReader all others. head is the start
// of the file. A list that is longer than head counts as spanning several lines.
func AreDocuments(head []byte) bool {
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return false
	}
	line, _, ends := bytes.Cut(text, newline)
	if !ends {
		first := bytes.TrimLeft(text[1:], " \t\r")
		return text[0] == '[' && len(first) > 0 && first[0] == '{' && !json.Valid(line)
	}
	if json.Valid(line) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	for d.InputOffset() <= int64(len(line)) {
		if _, err := d.Token(); err != nil {
			return false
		}
	}
	return true
}

var newline = []byte{'\n'}

// NewDocuments returns a reader of JSON values, independent of line ends: events, envelopes, and
// lists of these. Text that is not JSON ends the reading.
func NewDocuments(src reading.Source) reading.Reader {
	r := &documents{json: reading.NewJSON(src, "event")}
	r.queue.Expand = func(values []value, emit func(*reading.Unit)) {
		l := newLineReader(emit)
		for _, v := range values {
			where := reading.In(src.Name)
			where.Line = v.line
			if v.over == nil {
				l.read(v.text, where)
				continue
			}
			emit(&reading.Unit{Where: where, Decided: reading.Malformed,
				Reason: fmt.Sprintf("a value of %v", v.over)})
		}
	}
	r.Steps = reading.Steps{Queue: &r.queue, Step: r.step, Wait: r.json.Drained,
		Position: func() int64 { return src.Position(r.json.Taken()) }}
	return r
}

type documents struct {
	reading.Steps
	json  *reading.JSON
	queue reading.Pieces[value]
}

// limits holds the maximum size and the maximum numbers of items of one value.
var limits = reading.Limits{Bytes: MaxLine, Items: MaxLine, Inner: MaxLine}

// step reads one value, or the closing bracket of a list.
func (r *documents) step() error {
	if c, err := r.json.Peek(); err == nil && c == ']' {
		return r.json.Delim(']', "the end of a list")
	}
	inList := r.json.Depth() > 0
	if err := r.json.Enter(); err != nil {
		return err
	}
	c, err := r.json.Peek()
	if err != nil {
		return err
	}
	v := value{line: r.json.Here().Line}
	if c == '"' && !inList && r.json.Depth() > 0 {
		err = r.envelope(&v)
	} else {
		err = r.read(&v)
	}
	if err != nil {
		return err
	}
	v.rows = rows(v.text)
	r.queue.Add(v)
	place := r.json.Place()
	r.queue.Mark(func() *reading.Place { return place })
	return nil
}

// read reads a value and appends its text to that of v.
func (r *documents) read(v *value) error {
	part, err := r.json.Value(limits)
	if v.text == nil {
		v.line, v.text = part.Place.Line, part.Text
	} else {
		v.text = append(v.text, part.Text...)
	}
	if v.over == nil {
		v.over = part.Over
	}
	if len(v.text) > MaxLine {
		v.over = fmt.Errorf("more than %d bytes", MaxLine)
	}
	if v.over != nil {
		v.text = []byte{}
	}
	return err
}

// envelope reads the rest of an envelope, after its opening bracket.
func (r *documents) envelope(v *value) error {
	v.text = []byte{'['}
	for {
		if err := r.read(v); err != nil {
			return err
		}
		c, err := r.json.Peek()
		if err != nil {
			return err
		}
		if c == ']' {
			v.text = append(v.text, c)
			return r.json.Delim(']', "the end of an envelope")
		}
		v.text = append(v.text, ',')
	}
}

// A value is a JSON value, outermost or in a list. Most values are events.
type value struct {
	text []byte // without the white space between its parts
	line int    // line on which the value begins
	rows int    // as the function rows returns it
	over error  // not nil if the value is longer than what is read
}

// Rows implements reading.Piece.
func (v value) Rows() int { return v.rows }

// Size implements reading.Piece.
func (v value) Size() int64 {
	return int64((1+lineCopies)*cap(v.text) + (1+v.rows)*reading.RowSize)
}
