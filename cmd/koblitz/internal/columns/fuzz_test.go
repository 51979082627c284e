package columns

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// FuzzCSV checks that the reader finds the same rows as package csv finds in the whole file, no
// matter how many bytes each read returns, and that the text of the rows, as --keep writes it, has
// the same rows again.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n", "\"a\nb\",c\nd\n", "\"a\"\"\n\"\"b\"\n\n", "a\"b\n\"c\"d\ne\n",
		"\"open\na,b\n", "x\r\n\r\ny", "\"a\r\n\",\r\n"} {
		f.Add(s, 1)
	}
	spec := specFor(f, reading.ECDSA, Auto)
	f.Fuzz(func(t *testing.T, text string, chunk int) {
		read := func(text string) (units []reading.Unit) {
			r, err := CSV(reading.Source{Name: "t", Reader: &chunks{strings.NewReader("h,k,s\n" + text),
				1 + chunk&0xff}, Raw: true}, spec)
			for err == nil {
				var b reading.Batch
				if b, err = r.Next(); err == nil {
					b.Expand(func(u *reading.Unit) { units = append(units, *u) })
				}
			}
			if err != io.EOF && len(units) > 0 {
				t.Fatal(err)
			}
			return units
		}
		units, want := read(text), records(text)
		if len(units) != len(want) {
			t.Fatalf("%q: %d rows, package csv finds %d", text, len(units), len(want))
		}
		var kept strings.Builder
		var reasons []string
		for i, line := range want {
			u := &units[i]
			if u.Where.Line != line+1 {
				t.Fatalf("%q: row %d in line %d, package csv finds it in line %d", text, i, u.Where.Line,
					line+1)
			}
			if !strings.HasPrefix(u.Reason, "not CSV") { // --keep writes no such row
				fmt.Fprintf(&kept, "%s\n", u.Raw)
				reasons = append(reasons, u.Reason)
			}
		}
		again := read(kept.String())
		if len(again) != len(reasons) {
			t.Fatalf("%q: %d rows, %d in the kept text %q", text, len(reasons), len(again), kept.String())
		}
		for i, u := range again {
			if u.Reason != reasons[i] {
				t.Fatalf("%q: row %d: %q, in the kept text %q", text, i, reasons[i], u.Reason)
			}
		}
	})
}

// chunks is a reader that returns at most n bytes at a time.
type chunks struct {
	io.Reader
	n int
}

func (c *chunks) Read(b []byte) (int, error) { return c.Reader.Read(b[:min(len(b), c.n)]) }

// records returns the line number of each record that package csv finds in text.
func records(text string) (lines []int) {
	r := newCSV(strings.NewReader(text))
	for {
		_, err := r.Read()
		var syntax *csv.ParseError
		switch {
		case err == io.EOF:
			return lines
		case errors.As(err, &syntax):
			lines = append(lines, syntax.StartLine)
		default:
			line, _ := r.FieldPos(0)
			lines = append(lines, line)
		}
	}
}

// FuzzJSONL checks that each line gives one row, except for blank lines.
func FuzzJSONL(f *testing.F) {
	for _, s := range []string{`{"h":"00"}`, `{"h":null,"k":[1,{}]}`, "{}\n\n{}", `{"h":"\u0030"}`} {
		f.Add([]byte(s))
	}
	spec := specFor(f, reading.ECDSA, Auto)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := JSONL(source(data), spec)
		if err != nil {
			t.Fatal(err)
		}
		units, _ := columnstest.ReadAll(r)
		want := 0
		for line := range bytes.Lines(data) {
			if len(bytes.Trim(line, " \t\r\n")) > 0 {
				want++
			}
		}
		if len(units) != want {
			t.Fatalf("%d rows in %d lines", len(units), want)
		}
	})
}
