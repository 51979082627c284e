// Package columnstest writes tables for tests, and compares what readers return for them.
package columnstest

//ci:untested The tests of tables run it.

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Column is one column of a table that a test writes.
type Column struct {
	Name   string
	Values [][]byte // the cell of each row; nil is null
}

// Sample returns a table of n rows. It has a column of notes, which has no role, and the columns h,
// k and s, with values of the sizes of a hash, a compressed key and a signature.
func Sample(n int) []Column {
	table := []Column{{Name: "note"}, {Name: "h"}, {Name: "k"}, {Name: "s"}}
	for row := range n {
		table[0].Values = append(table[0].Values, fmt.Appendf(nil, `a "note", %d`, row))
		for i, width := range []int{32, 33, 64} {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, row))
			table[1+i].Values = append(table[1+i].Values, bytes.Repeat(sum[:], 3)[:width])
		}
	}
	return table
}

// Forms maps the name of each text encoding of bytes to its encoder.
var Forms = map[string]func([]byte) string{
	"hex":       hex.EncodeToString,
	"0x":        func(b []byte) string { return "0x" + hex.EncodeToString(b) },
	"0X, upper": func(b []byte) string { return "0X" + strings.ToUpper(hex.EncodeToString(b)) },
	"base64":    base64.StdEncoding.EncodeToString,
	"base64url": base64.URLEncoding.EncodeToString,
	"raw":       base64.RawStdEncoding.EncodeToString,
	"rawurl":    base64.RawURLEncoding.EncodeToString,
}

// AsText returns table with every cell encoded as text by the function form. The first column,
// which holds notes, is unchanged.
func AsText(table []Column, form func([]byte) string) []Column {
	out := []Column{table[0]}
	for _, c := range table[1:] {
		text := Column{Name: c.Name}
		for _, v := range c.Values {
			if v == nil {
				text.Values = append(text.Values, nil)
			} else {
				text.Values = append(text.Values, []byte(form(v)))
			}
		}
		out = append(out, text)
	}
	return out
}

// A Row is a copy of the fields of a reading.Unit that tests compare.
type Row struct {
	Where   string
	Decided reading.Verdict
	Reason  string
	Values  [3][]byte // hash, key and signature of a row that is still to be verified
	Compact bool
}

// ReadAll reads all rows of a table. err is the error that ended reading, io.EOF at the end.
func ReadAll(r reading.Reader) (units []Row, err error) {
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			return units, err
		}
		b.Expand(func(u *reading.Unit) {
			row := Row{Where: u.Where.String(), Decided: u.Decided, Reason: u.Reason, Compact: u.Compact}
			if u.Decided == reading.Unchecked {
				s := &u.Signatures[0]
				row.Values = [3][]byte{bytes.Clone(s.Digest[:]), bytes.Clone(u.Keys[0]), bytes.Clone(s.Sig)}
			}
			units = append(units, row)
		})
	}
}

// Text returns "ok" for a row that is still to be verified, and the reason for a malformed row.
func Text(u Row) string {
	if u.Decided == reading.Unchecked {
		return "ok"
	}
	return u.Reason
}

// Compare fails the test unless units, the rows that were read from an ECDSA table, match table.
// err must be io.EOF. place returns the expected place of row i.
func Compare(t *testing.T, units []Row, err error, table []Column, place func(i int) string) {
	t.Helper()
	if err != io.EOF || len(units) != len(table[0].Values) {
		t.Fatalf("%d units of %d rows, then %v", len(units), len(table[0].Values), err)
	}
	for i, u := range units {
		want := Row{Where: place(i), Compact: true}
		for k, c := range table[1:] {
			if want.Values[k] = c.Values[i]; c.Values[i] == nil {
				want = Row{Where: place(i), Decided: reading.Malformed, Reason: u.Reason}
				if !strings.HasPrefix(u.Reason, fmt.Sprintf("column %q: ", c.Name)) {
					t.Fatalf("row %d, whose %s is null: %+v", i, c.Name, u)
				}
				break
			}
		}
		if !reflect.DeepEqual(u, want) {
			t.Fatalf("row %d: %+v, want %+v", i, u, want)
		}
	}
}

// CSV returns the table, whose cells must be text, as CSV. A null becomes an empty field.
func CSV(table []Column, lineEnd string) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.UseCRLF = lineEnd == "\r\n"
	record := make([]string, len(table))
	for i, c := range table {
		record[i] = c.Name
	}
	w.Write(record)
	for row := range table[0].Values {
		for i, c := range table {
			record[i] = string(c.Values[row])
		}
		w.Write(record)
	}
	w.Flush()
	return out.Bytes()
}

// JSONL returns the table, whose cells must be text, as one JSON object per line.
func JSONL(table []Column) []byte {
	var out bytes.Buffer
	for row := range table[0].Values {
		for i, c := range table {
			out.WriteString(map[bool]string{true: "{", false: ", "}[i == 0])
			if v := c.Values[row]; v == nil {
				fmt.Fprintf(&out, "%q: null", c.Name)
			} else {
				fmt.Fprintf(&out, "%q: %q", c.Name, v)
			}
		}
		out.WriteString("}\n")
	}
	return out.Bytes()
}
