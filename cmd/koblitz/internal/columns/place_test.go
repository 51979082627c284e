package columns

import (
	"io"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// TestPlace checks that reading resumes after every batch, also near blank lines and near rows that
// are too long.
func TestPlace(t *testing.T) {
	table := columnstest.AsText(columnstest.Sample(300), columnstest.Forms["hex"])
	for i := range table[0].Values {
		if i%5 == 0 {
			table[0].Values[i] = []byte("a, \"quoted\"")
		}
		if i%11 == 0 {
			table[1+i%3].Values[i] = nil
		}
	}
	csv, jsonl := string(columnstest.CSV(table, "\r\n")), string(columnstest.JSONL(table))
	header, lines, _ := strings.Cut(csv, "\n")
	header += "\n"
	// There are enough of these short rows to fill more than one batch.
	short := strings.Repeat("ab\n", 2*RowsPerBatch)
	long := strings.Repeat("x", maxRecord+100<<10)
	spec := specFor(t, reading.ECDSA, Auto)
	for _, test := range []struct {
		name   string
		kind   opener
		text   string
		places int
	}{
		{"csv", CSV, csv, 3},
		{"a mark", CSV, "\xef\xbb\xbf" + csv, 3},
		{"short rows", CSV, csv + short + lines, 5},
		{"no line end", CSV, csv + "1,2", 3},
		{"blank lines", CSV, "\n\r\n" + header + strings.Repeat("\n", 1000), 0},
		{"blank at first", CSV, header + strings.Repeat("\n", 1000) + lines, 3},
		{"a long row", CSV, csv + long + "\n" + lines, 3},
		{"columns elsewhere", CSV, "z,s,a,k,b,h\n" + strings.Repeat(",,,,,ab\n", 1000), 3},
		{"jsonl", JSONL, jsonl, 3},
		{"jsonl, short rows", JSONL, jsonl + short + jsonl, 5},
		{"jsonl without line end", JSONL, jsonl + "{", 3},
		{"jsonl, blank at first", JSONL, strings.Repeat(" \n", 1000) + jsonl, 3},
		{"jsonl of blank lines", JSONL, strings.Repeat(" \n", 3000), 2},
		{"jsonl, a long row", JSONL, jsonl + long + "\n" + jsonl, 6},
		{"jsonl, a long row last", JSONL, jsonl + long, 3},
	} {
		open := func(src reading.Source) reading.Reader { return must(test.kind(src, spec)) }
		if n := placetest.Check(t, []byte(test.text), open); n < test.places {
			t.Errorf("%s: %d places, want at least %d", test.name, n, test.places)
		}
	}
}

// TestBadPlace checks that resuming at a place that no reader returned gives an error.
func TestBadPlace(t *testing.T) {
	for _, detail := range []string{`"line"`, `{"line":2}`, `{"line":2,"head":"aCxr"}`} {
		r, err := CSV(reading.Source{Name: "f", Reader: strings.NewReader("1,2,3"),
			From: &reading.Place{Offset: 6, Detail: []byte(detail)}}, specFor(t, reading.ECDSA, Auto))
		if err == nil {
			t.Errorf("%s: %v", detail, r)
		}
	}
	for _, detail := range []string{`"line"`, `{"line":0}`, `{"line":-5}`} {
		r := must(JSONL(reading.Source{Name: "f", Reader: strings.NewReader("{}\n"),
			From: &reading.Place{Offset: 1, Detail: []byte(detail)}}, specFor(t, reading.ECDSA, Auto)))
		if _, err := r.Next(); err == nil || err == io.EOF {
			t.Errorf("%s: %v", detail, err)
		}
	}
}
