package columns

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// FuzzCSV checks that the reader, which splits a file into batches, finds the same rows as package
// csv finds in the whole file, no matter how many bytes each read returns.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b\n", "\"a\nb\",c\nd\n", "\"a\"\"\n\"\"b\"\n\n", "a\"b\n\"c\"d\ne\n",
		"\"open\na,b\n", "x\r\n\r\ny", "\"a\r\n\",\r\n"} {
		f.Add(s, 1)
	}
	spec := specFor(f, rows.ECDSA, Auto)
	f.Fuzz(func(t *testing.T, text string, chunk int) {
		r, err := CSV(rows.Source{Name: "t", Reader: &chunks{strings.NewReader("h,k,s\n" + text),
			1 + chunk&0xff}}, spec)
		if err != nil {
			t.Fatal(err)
		}
		units, err := columnstest.ReadAll(r)
		want := records(text)
		if err == io.EOF || len(want) == 0 {
			if len(units) != len(want) {
				t.Fatalf("%q: %d rows, package csv finds %d", text, len(units), len(want))
			}
			for i, line := range want {
				if units[i].Where != fmt.Sprintf("t:%d", line+1) {
					t.Fatalf("%q: row %d in %s, package csv finds it in line %d", text, i, units[i].Where,
						line+1)
				}
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
	r := newCSV([]byte(text))
	for {
		_, err := r.Read()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			lines = append(lines, errorLine(err))
			continue
		}
		line, _ := r.FieldPos(0)
		lines = append(lines, line)
	}
}

// FuzzJSONL checks that each line gives one row, except for blank lines.
func FuzzJSONL(f *testing.F) {
	for _, s := range []string{`{"h":"00"}`, `{"h":null,"k":[1,{}]}`, "{}\n\n{}", `{"h":"\u0030"}`} {
		f.Add([]byte(s))
	}
	spec := specFor(f, rows.ECDSA, Auto)
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
