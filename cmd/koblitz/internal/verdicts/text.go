package verdicts

import (
	"encoding/hex"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// columns lists the columns, in order.
var columns = [14]struct {
	name   string
	isText bool // the column holds text, and otherwise numbers
}{{"file", true}, {"line", false}, {"row", false}, {"offset", false}, {"block", false},
	{"index", false}, {"tx", true}, {"input", false}, {"event", true}, {"kind", true},
	{"signature", false}, {"verdict", true}, {"reason", true}, {"sender", true}}

// A value is one field of a row. A field that does not apply to the row has the zero value.
type value struct {
	text   string // of a column of text
	number int64
	set    bool
}

// values returns the fields of a row in the order of columns. A field does not apply to the row if
// it is a negative number, an empty text, or a 0 where numbers start from 1.
func values(r *verify.Row) (v [len(columns)]value) {
	number := func(i int, n, first int64) {
		if n >= first {
			v[i] = value{number: n, set: true}
		}
	}
	text := func(i int, s string) { v[i] = value{text: s, set: s != ""} }
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

// AppendJSON appends r to b as a JSON object without the fields that do not apply. It escapes
// characters that are not printable.
func AppendJSON(b []byte, r *verify.Row) []byte {
	start := len(b)
	b = append(b, '{')
	for i, v := range values(r) {
		if !v.set {
			continue
		}
		if len(b) > start+1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), columns[i].name...), `":`...)
		if columns[i].isText {
			b, _ = jsontext.AppendQuote(b, v.text) // a byte that is not UTF-8 becomes U+FFFD
		} else {
			b = strconv.AppendInt(b, v.number, 10)
		}
	}
	return append(b[:start], reading.PrintableJSON(append(b[start:], '}'))...)
}

// names returns the header of a CSV file.
func names() (list []string) {
	for _, c := range columns {
		list = append(list, c.name)
	}
	return list
}

// fields returns r as a record of CSV. It escapes characters that are not printable, as reports do.
func fields(r *verify.Row) []string {
	list := make([]string, len(columns))
	for i, v := range values(r) {
		list[i] = reading.Printable(v.text)
		if v.set && !columns[i].isText {
			list[i] = strconv.FormatInt(v.number, 10)
		}
	}
	return list
}
