package nostr

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	r := &documents{src: src, json: reading.NewJSON(src, "event"), some: src.From != nil,
		none: errors.New("an empty file")}
	r.list = r.json.Depth() > 0
	return r
}

type documents struct {
	src  reading.Source
	json *reading.JSON
	list bool  // the reader is inside a list that is not an envelope
	some bool  // a value has been read
	none error // the error for a file without a value
	next documentBatch
	err  error
}

func (r *documents) Close() error { return nil }

func (r *documents) Next() (reading.Batch, error) {
	for r.err == nil && !r.next.full() && !(len(r.next.values) > 0 && r.json.Drained()) {
		r.err = r.step()
	}
	if len(r.next.values) == 0 {
		return nil, r.err
	}
	b := r.next
	r.next = documentBatch{}
	b.file, b.Read = r.src.Name, r.src.Position(r.json.Taken())
	b.Memory = int64(b.bytes + lineCopies*b.longest + (1+len(b.values))*reading.RowSize)
	if r.err == nil {
		b.After = r.json.Place()
	}
	return &b, nil
}

// limits holds the maximum size and the maximum numbers of items of one value.
var limits = reading.Limits{Bytes: MaxLine, Items: MaxLine, Inner: MaxLine}

// step reads one value, or an opening or closing bracket of a list.
func (r *documents) step() error {
	c, err := r.json.Peek()
	switch {
	case err == io.EOF && !r.some:
		return &reading.Error{File: r.src.Name, Line: 1, Err: r.none}
	case err != nil:
		return err
	}
	switch {
	case r.list && c == ']':
		r.list = false
		return r.json.Delim(']', "the end of a list")
	case !r.list && c == '[':
		return r.bracket()
	}
	v, err := r.json.Value(limits)
	if err != nil {
		return err
	}
	r.some = true
	r.next.add(value{text: v.Text, line: v.Place.Line, over: v.Over})
	return nil
}

// bracket reads the start of a list. If the first element is a string, the list is an envelope, and
// bracket reads all of it.
func (r *documents) bracket() error {
	line := r.json.Here().Line
	if err := r.json.Delim('[', "a list"); err != nil {
		return err
	}
	c, err := r.json.Peek()
	if err != nil {
		return err
	}
	if r.list = c != '"'; r.list {
		r.none = errors.New("there is no event in it")
		return nil
	}
	r.some = true
	envelope := value{text: []byte{'['}, line: line}
	for {
		v, err := r.json.Value(limits)
		if err != nil {
			return err
		}
		if envelope.over == nil {
			envelope.over = v.Over
		}
		if len(envelope.text)+len(v.Text) >= MaxLine {
			envelope.over = fmt.Errorf("more than %d bytes", MaxLine)
		}
		if envelope.over == nil {
			envelope.text = append(envelope.text, v.Text...)
		}
		if c, err = r.json.Peek(); err != nil {
			return err
		}
		if c == ']' {
			break
		}
		envelope.text = append(envelope.text, ',')
	}
	envelope.text = append(envelope.text, ']')
	r.next.add(envelope)
	return r.json.Delim(']', "the end of an envelope")
}

// A value is a JSON value, outermost or in a list. Most values are events.
type value struct {
	text []byte // without the white space between its parts
	line int    // line on which the value begins
	over error  // not nil if the value is longer than what is read
}

// A documentBatch implements reading.Batch.
type documentBatch struct {
	values  []value
	bytes   int // capacity of all texts together
	longest int
	file    string
	reading.Part
}

func (b *documentBatch) add(v value) {
	if v.over != nil {
		v.text = nil
	}
	b.values = append(b.values, v)
	b.bytes += cap(v.text)
	b.longest = max(b.longest, len(v.text))
}

func (b *documentBatch) full() bool {
	return len(b.values) >= batchLines || b.bytes >= reading.BatchBytes
}

func (b *documentBatch) Expand(emit func(*reading.Unit)) {
	l := newLineReader(emit)
	for _, v := range b.values {
		where := reading.In(b.file)
		where.Line = v.line
		if v.over != nil {
			emit(&reading.Unit{Where: where, Decided: reading.Malformed,
				Reason: fmt.Sprintf("a value of %v", v.over)})
			continue
		}
		l.read(v.text, where)
	}
}
