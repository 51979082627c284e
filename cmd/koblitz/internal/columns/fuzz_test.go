package columns

import (
	"encoding/csv"
	"strings"
	"testing"

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
		r := must(CSV(reading.Source{Name: "t", Reader: strings.NewReader("h,k,s\n" + text)}, spec))
		rows := 0
		var whole []string
		for {
			b, err := r.Next()
			if err != nil {
				break
			}
			b.Expand(func(u *reading.Unit) {
				if rows++; u.Decided == reading.Unchecked || strings.HasPrefix(u.Reason, "column ") {
					whole = append(whole, string(u.Raw))
				}
			})
		}
		lines := 0
		for line := range strings.Lines(text) {
			if strings.Trim(line, " \t\r\n") != "" {
				lines++
			}
		}
		if rows != lines {
			t.Fatalf("%d rows in %d lines", rows, lines)
		}
		records, err := csv.NewReader(strings.NewReader(strings.Join(whole, "\n"))).ReadAll()
		if err != nil || len(records) != len(whole) {
			t.Fatalf("%q: package csv finds %q, %v", whole, records, err)
		}
	})
}
