package lab

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// TestPlace checks that reading resumes after every batch: within row groups and at their ends,
// after row groups without rows, in pages of many sizes, with nulls, and in truncated files.
func TestPlace(t *testing.T) {
	const n = 2*columns.RowsPerBatch + 100
	table := columnstest.Sample(n)
	for i := range n {
		if i%7 == 3 {
			table[1+i%3].Values[i] = nil
		}
	}
	spec := specFor(t, reading.ECDSA, columns.Auto)
	pages := []parquet.WriterProperty{parquet.WithDataPageSize(5 << 10)}
	plain := []parquet.WriterProperty{parquet.WithDictionaryDefault(false)}
	data := map[string][]byte{}
	for name, l := range map[string]layout{
		"one group":    {},
		"small groups": {Group: 300},
		"large groups": {Group: columns.RowsPerBatch + 500, Options: pages},
		"whole groups": {Group: columns.RowsPerBatch},
		"plain":        {Options: plain, Group: 1500},
	} {
		data[name] = writeParquet(t, table, l)
	}
	broken := bytes.Clone(data["plain"])
	clear(broken[len(broken)/2 : len(broken)/2+2000])
	data["broken"] = broken
	for name, file := range data {
		open := func(src reading.Source) reading.Reader {
			r, err := parquetfile.Open(src, bytes.NewReader(file), int64(len(file)), spec)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		want := 3
		if name == "broken" {
			want = 1
		}
		if n := placetest.Check(t, nil, open); n < want {
			t.Errorf("%s: %d places, want %d", name, n, want)
		}
	}
}

// TestBadPlace checks that resuming at a place that no reader of this file returned gives an error.
func TestBadPlace(t *testing.T) {
	table := columnstest.Sample(3000)
	file := writeParquet(t, table, layout{Group: 2000})
	spec := specFor(t, reading.ECDSA, columns.Auto)
	for _, test := range []struct {
		detail string
		rows   int
		bad    bool
	}{
		{`{"row":2000}`, 1000, false},
		{`{"row":1024}`, 1976, false},
		{`{"row":3000}`, 0, false},
		{`{"row":3001}`, 0, true},
		{`{"row":-1}`, 0, true},
		{`{}`, 0, true},
		{`"row"`, 0, true},
	} {
		src := reading.Source{Name: "f", From: &reading.Place{Detail: []byte(test.detail)}}
		r, err := parquetfile.Open(src, bytes.NewReader(file), int64(len(file)), spec)
		if err != nil {
			if !test.bad {
				t.Errorf("%s: %v", test.detail, err)
			}
			continue
		}
		units, err := columnstest.ReadAll(r)
		if test.bad != (err != io.EOF) || len(units) != test.rows {
			t.Errorf("%s: %d rows, %v", test.detail, len(units), err)
		}
		for i := range units {
			if want := fmt.Sprintf("f: row %d", 3000-test.rows+i); units[i].Where != want {
				t.Fatalf("%s: unit %d is %s, want %s", test.detail, i, units[i].Where, want)
			}
		}
	}
}
