package verdicts

import (
	"bufio"
	"encoding/csv"
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// names lists the names of the columns, in order.
var names = []string{"file", "line", "row", "offset", "block", "index", "tx", "input", "event",
	"kind", "signature", "verdict", "reason", "sender"}

// A value is one field of a row: a number, a text, or null.
type value struct {
	text   string
	number int64
	kind   kind
}

type kind uint8

const (
	//layers:allow a field that was not set does not apply
	isNull kind = iota // the zero value: the field does not apply to this row
	isNumber
	isText
)

// values returns the fields of a row in the order of names. A field whose value is a negative
// number, an empty text, or a 0 where numbers start from 1 does not apply to the row; its value
// here is null.
func values(r *verify.Row) (v [14]value) {
	number := func(i int, n, first int64) {
		if n >= first {
			v[i] = value{number: n, kind: isNumber}
		}
	}
	text := func(i int, s string) {
		if s != "" {
			v[i] = value{text: s, kind: isText}
		}
	}
	w := &r.Where
	text(0, w.File)
	number(1, int64(w.Line), 1)
	number(2, w.Row, 0)
	number(3, w.Offset, 0)
	number(4, int64(w.Block), 0)
	number(5, int64(w.Index), 0)
	text(6, w.Tx)
	number(7, int64(w.Input), 0)
	text(8, w.Event)
	text(9, r.Kind)
	number(10, int64(r.Signature), 1)
	text(11, r.Verdict.String())
	text(12, r.Reason)
	if r.Recovered {
		text(13, "0x"+hex.EncodeToString(r.Sender[:]))
	}
	return v
}

// A jsonEncoder writes each row as a JSON object on one line.
type jsonEncoder struct {
	out  *bufio.Writer
	line []byte
}

func (j *jsonEncoder) row(r *verify.Row) error {
	j.line = append(AppendJSON(j.line[:0], r), '\n')
	_, err := j.out.Write(j.line)
	return err
}

func (j *jsonEncoder) close() error { return nil }

// AppendJSON appends r to b as a JSON object without the fields that do not apply. It escapes
// characters that are not printable.
func AppendJSON(b []byte, r *verify.Row) []byte {
	start := len(b)
	b = append(b, '{')
	for i, v := range values(r) {
		if v.kind == isNull {
			continue
		}
		if len(b) > start+1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), names[i]...), `":`...)
		if v.kind == isNumber {
			b = strconv.AppendInt(b, v.number, 10)
			continue
		}
		b, _ = jsontext.AppendQuote(b, v.text) // a byte that is not UTF-8 becomes U+FFFD
	}
	return append(b[:start], reading.PrintableJSON(append(b[start:], '}'))...)
}

// A csvEncoder writes rows as CSV (RFC 4180) with a header. It escapes characters that are not
// printable, as reports do.
type csvEncoder struct {
	out    *csv.Writer
	fields []string
}

// appendCSV returns an encoder that writes no header.
func appendCSV(w *bufio.Writer) *csvEncoder {
	return &csvEncoder{out: csv.NewWriter(w), fields: make([]string, len(names))}
}

func (c *csvEncoder) row(r *verify.Row) error {
	for i, v := range values(r) {
		switch v.kind {
		case isNumber:
			c.fields[i] = strconv.FormatInt(v.number, 10)
		case isText:
			c.fields[i] = reading.Printable(v.text)
		default:
			c.fields[i] = ""
		}
	}
	return c.out.Write(c.fields)
}

func (c *csvEncoder) close() error {
	c.out.Flush()
	return c.out.Error()
}
