package columns

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// FuzzCSV checks that a line gives one row, except for blank lines, and that package csv finds the
// same rows in the lines that are not malformed.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"a,b,\n", "\"a\nb\",c,\nd,,\n", "\"a\"\"\n\"\"b\",,\n\n",
		"\"c\"d,,\n1,\"\",\n", "\"open\na,b,c\n", "x,y\r\n\r\ny,,"} {
		f.Add(s)
	}
	spec := specFor(f, reading.ECDSA, Auto)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := CSV(reading.Source{Name: "t", Reader: strings.NewReader("h,k,s\n" + text)}, spec)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		var whole []string
		for err == nil {
			var b reading.Batch
			if b, err = r.Next(); err != nil {
				break
			}
			b.Expand(func(u *reading.Unit) {
				if rows++; u.Decided == reading.Unchecked || strings.HasPrefix(u.Reason, "column ") {
					whole = append(whole, string(u.Raw))
				}
			})
		}
		if lines := countLines(text); rows != lines {
			t.Fatalf("%d rows in %d lines", rows, lines)
		}
		records, err := csv.NewReader(strings.NewReader(strings.Join(whole, "\n"))).ReadAll()
		if err != nil || len(records) != len(whole) {
			t.Fatalf("%q: package csv finds %q, %v", whole, records, err)
		}
	})
}

// countLines returns the number of lines in text that are not blank.
func countLines(text string) (n int) {
	for line := range strings.Lines(text) {
		if len(strings.Trim(line, " \t\r\n")) > 0 {
			n++
		}
	}
	return n
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
		if want := countLines(string(data)); len(units) != want {
			t.Fatalf("%d rows in %d lines", len(units), want)
		}
	})
}
