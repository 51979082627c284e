package verdicts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// manyRows returns n rows with nulls. Some of the rows have a long reason.
func manyRows(n int) (list []check.Row) {
	for i := range n {
		r := check.Row{Where: rows.In("a file"), Verdict: rows.Valid}
		if r.Where.Row = int64(i); i%7 > 4 {
			r.Verdict, r.Reason = rows.Invalid, strings.Repeat(fmt.Sprint("reason ", i), i%300)
		}
		list = append(list, r)
	}
	return list
}

func writeParquet(w io.Writer, list []check.Row) error {
	p, err := newParquet(w)
	for i := 0; i < len(list) && err == nil; i++ {
		err = p.row(&list[i])
	}
	if err == nil {
		err = p.close()
	}
	return err
}

// TestParquet checks that another library reads back the rows that the encoder wrote: in files
// without rows, with full pages, and with several row groups.
func TestParquet(t *testing.T) {
	for _, n := range []int{0, 1, 9000, rowsPerGroup + 3} {
		list := manyRows(n)
		var out bytes.Buffer
		if err := writeParquet(&out, list); err != nil {
			t.Fatal(err)
		}
		r, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if want := (n + rowsPerGroup - 1) / rowsPerGroup; int(r.NumRows()) != n ||
			r.NumRowGroups() != want || r.MetaData().Schema.NumColumns() != len(names) {
			t.Fatalf("%d rows in %d groups, want %d in %d", r.NumRows(), r.NumRowGroups(), n, want)
		}
		for i, name := range names {
			c := r.MetaData().Schema.Column(i)
			text := c.LogicalType().Equals(schema.StringLogicalType{}) &&
				c.ConvertedType() == schema.ConvertedTypes.UTF8
			if c.Path() != name || c.MaxDefinitionLevel() != 1 || text != textColumns[name] {
				t.Errorf("column %d: %v", i, c)
			}
			row := 0
			for g := range r.NumRowGroups() {
				nulls := checkChunk(t, r.RowGroup(g), i, list[row:])
				meta, err := r.RowGroup(g).MetaData().ColumnChunk(i)
				if err != nil {
					t.Fatal(err)
				}
				s, err := meta.Statistics()
				if err != nil || s.NullCount() != nulls {
					t.Errorf("%d rows, %s: %d nulls, %v", n, name, nulls, err)
				}
				row += int(r.RowGroup(g).NumRows())
			}
			if row != n {
				t.Errorf("%d rows, %s: %d", n, name, row)
			}
		}
	}
}

// checkChunk checks that column i of the row group holds the values of the rows in list. It returns
// the number of nulls.
func checkChunk(t *testing.T, g *file.RowGroupReader, i int, list []check.Row) (nulls int64) {
	t.Helper()
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
			var got value
			switch {
			case level == 0:
				nulls++
			case textColumns[names[i]]:
				got = value{kind: isText, text: string(texts[at])}
				at++
			default:
				got = value{kind: isNumber, number: numbers[at]}
				at++
			}
			if want := values(&list[row])[i]; got != want {
				t.Fatalf("%s, row %d: %v, want %v", names[i], row, got, want)
			}
			row++
		}
	}
	if err := chunk.Err(); err != nil || int64(row) != g.NumRows() {
		t.Errorf("%s: %d rows of %d, %v", names[i], row, g.NumRows(), err)
	}
	return nulls
}

// TestParquetErrors checks that the encoder returns the error of its writer, whichever page or
// description it concerns.
func TestParquetErrors(t *testing.T) {
	list := manyRows(7)
	var good bytes.Buffer
	if err := writeParquet(&good, list); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < good.Len(); n += 29 {
		if err := writeParquet(&limited{left: n}, list); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// A limited is a writer that fails once it has accepted a number of bytes. left is the number that
// it still accepts.
type limited struct{ left int }

func (l *limited) Write(b []byte) (int, error) {
	if len(b) > l.left {
		return l.left, io.ErrShortWrite
	}
	l.left -= len(b)
	return len(b), nil
}
