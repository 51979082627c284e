package lab

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verdicts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// verdictColumns lists the columns of a file of verdicts, in order. cell returns the value of the
// column in row i of verdictRow: nil, an int64 or a string.
var verdictColumns = []struct {
	name string
	text bool
	cell func(i int) any
}{
	{"file", true, func(int) any { return "a file" }},
	{"line", false, null}, {"row", false, func(i int) any { return int64(i) }},
	{"offset", false, null}, {"block", false, null}, {"index", false, null}, {"tx", true, null},
	{"input", false, null}, {"event", true, null}, {"kind", true, null}, {"signature", false, null},
	{"verdict", true, func(i int) any { return verdictRow(i).Verdict.String() }},
	{"reason", true, func(i int) any {
		if reason := verdictRow(i).Reason; reason != "" {
			return reason
		}
		return nil
	}},
	{"sender", true, null},
}

func null(int) any { return nil }

// verdictRow returns row i of a file. Some rows have a long reason.
func verdictRow(i int) *verify.Row {
	r := verify.Row{Where: reading.In("a file"), Verdict: reading.Valid}
	if r.Where.Row = int64(i); i%7 > 4 {
		r.Verdict, r.Reason = reading.Invalid, strings.Repeat(fmt.Sprint("reason ", i), i%300)
	}
	return &r
}

// TestVerdicts checks that another library reads back the rows that package verdicts wrote: in
// files without rows, with full pages, and with several row groups.
func TestVerdicts(t *testing.T) {
	const rowsPerGroup = 1 << 15
	for _, n := range []int{0, 1, 9000, rowsPerGroup + 3} {
		name := filepath.Join(t.TempDir(), "v.parquet")
		p, err := verdicts.Create(durable.OS{}, name, verdicts.Parquet)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			p.Write(verdictRow(i)) // Commit returns its error
		}
		err = p.Commit()
		data, readErr := os.ReadFile(name)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		r, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if want := (n + rowsPerGroup - 1) / rowsPerGroup; int(r.NumRows()) != n ||
			r.NumRowGroups() != want || r.MetaData().Schema.NumColumns() != len(verdictColumns) {
			t.Fatalf("%d rows in %d groups, want %d in %d", r.NumRows(), r.NumRowGroups(), n, want)
		}
		for i, column := range verdictColumns {
			c := r.MetaData().Schema.Column(i)
			text := c.LogicalType().Equals(schema.StringLogicalType{}) &&
				c.ConvertedType() == schema.ConvertedTypes.UTF8
			if c.Path() != column.name || c.MaxDefinitionLevel() != 1 || text != column.text {
				t.Errorf("column %d: %v", i, c)
			}
			row := 0
			for g := range r.NumRowGroups() {
				nulls := checkChunk(t, r.RowGroup(g), i, row)
				meta, err := r.RowGroup(g).MetaData().ColumnChunk(i)
				if err != nil {
					t.Fatal(err)
				}
				s, err := meta.Statistics()
				if err != nil || s.NullCount() != nulls {
					t.Errorf("%d rows, %s: %d nulls, %v", n, column.name, nulls, err)
				}
				row += int(r.RowGroup(g).NumRows())
			}
			if row != n {
				t.Errorf("%d rows, %s: %d", n, column.name, row)
			}
		}
	}
}

// checkChunk checks that column i of the row group holds the values of the rows from first on. It
// returns the number of nulls.
func checkChunk(t *testing.T, g *file.RowGroupReader, i, first int) (nulls int64) {
	t.Helper()
	column := verdictColumns[i]
	chunk, err := g.Column(i)
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for chunk.HasNext() {
		levels := make([]int16, 500)
		texts, numbers := make([]parquet.ByteArray, 500), make([]int64, 500)
		var total int64
		switch c := chunk.(type) {
		case *file.ByteArrayColumnChunkReader:
			total, _, err = c.ReadBatch(500, texts, levels, nil)
		case *file.Int64ColumnChunkReader:
			total, _, err = c.ReadBatch(500, numbers, levels, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, level := range levels[:total] {
			var got any
			switch {
			case level == 0:
				nulls++
			case column.text:
				got = string(texts[at])
				at++
			default:
				got = numbers[at]
				at++
			}
			if want := column.cell(first + row); got != want {
				t.Fatalf("%s, row %d: %v, want %v", column.name, first+row, got, want)
			}
			row++
		}
	}
	if err := chunk.Err(); err != nil || int64(row) != g.NumRows() {
		t.Errorf("%s: %d rows of %d, %v", column.name, row, g.NumRows(), err)
	}
	return nulls
}
