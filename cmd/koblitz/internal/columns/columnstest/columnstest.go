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
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A Column is one column of a table that a test writes.
type Column struct {
	Name   string
	Values [][]byte // the cell of each row; nil is null
}

// Sample returns a table of n rows. It has a column for each element of widths, with values of that
// many bytes, and a column of notes, which has no role.
func Sample(n int, widths ...int) []Column {
	names := []string{"h", "k", "s", "a"}
	table := []Column{{Name: "note"}}
	for i, w := range widths {
		c := Column{Name: names[i]}
		for row := range n {
			sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", i, row))
			c.Values = append(c.Values, bytes.Repeat(sum[:], 3)[:w])
		}
		table = append(table, c)
	}
	for row := range n {
		table[0].Values = append(table[0].Values, fmt.Appendf(nil, `a "note", %d`, row))
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
	Digest  []byte
	Key     []byte
	Sig     []byte
	Sender  []byte
	Compact bool
}

// Keep copies the fields of u that tests compare.
func Keep(u *reading.Unit) Row {
	g := Row{Where: u.Where.String(), Decided: u.Decided, Reason: u.Reason}
	if u.Decided != reading.Unchecked {
		return g
	}
	g.Digest = bytes.Clone(u.Signatures[0].Digest[:])
	g.Sig = bytes.Clone(u.Signatures[0].Sig)
	if len(u.Keys) > 0 {
		g.Key = bytes.Clone(u.Keys[0])
	}
	g.Sender, g.Compact = bytes.Clone(u.Sender), u.Compact
	return g
}

// ReadAll reads all rows of a table. err is the error that ended reading, io.EOF at the end.
func ReadAll(r reading.Reader) (units []Row, err error) {
	defer r.Close()
	for {
		b, err := r.Next()
		if err != nil {
			return units, err
		}
		b.Expand(func(u *reading.Unit) { units = append(units, Keep(u)) })
	}
}

// Text returns "ok" for a row that is still to be verified, and the reason for a malformed row.
func Text(u Row) string {
	switch u.Decided {
	case reading.Unchecked:
		return "ok"
	case reading.Malformed:
		return u.Reason
	}
	return u.Decided.String()
}

// Compare fails the test unless units, the rows that were read from an ECDSA table, match table.
// err must be io.EOF. place returns the expected place of row i.
func Compare(t *testing.T, units []Row, err error, table []Column,
	place func(i int) string) {
	t.Helper()
	if err != io.EOF {
		t.Fatalf("%d units, then %v", len(units), err)
	}
	if len(units) != len(table[0].Values) {
		t.Fatalf("%d units of %d rows", len(units), len(table[0].Values))
	}
	for i, u := range units {
		if want := place(i); u.Where != want {
			t.Fatalf("place %q, want %q", u.Where, want)
		}
		var null string
		for _, c := range table[1:] {
			if c.Values[i] == nil {
				null = c.Name
				break
			}
		}
		if null != "" {
			if u.Decided != reading.Malformed || !strings.HasPrefix(u.Reason, fmt.Sprintf("column %q: ",
				null)) {
				t.Fatalf("row %d, whose %s is null: %+v", i, null, u)
			}
			continue
		}
		if u.Decided != reading.Unchecked || !bytes.Equal(u.Digest, table[1].Values[i]) ||
			!bytes.Equal(u.Key, table[2].Values[i]) || !bytes.Equal(u.Sig, table[3].Values[i]) ||
			!u.Compact {
			t.Fatalf("row %d: %+v", i, u)
		}
	}
}

// Repeated returns a table of the same size in which five values repeat in each column.
func Repeated(table []Column) []Column {
	var out []Column
	for _, c := range table {
		few := Column{Name: c.Name}
		for i := range c.Values {
			few.Values = append(few.Values, c.Values[i%5])
		}
		out = append(out, few)
	}
	return out
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
