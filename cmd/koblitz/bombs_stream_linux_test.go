//go:build linux && !race

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// An arrowFeed writes an Arrow stream with the columns h, k and s, followed by other columns.
type arrowFeed struct {
	w     *ipc.Writer
	first []arrow.Array // h, k and s; all rows after the first 1,000 are null
	n     int64         // number of rows in each batch
	names []string
}

// feedArrow writes an Arrow stream to f. Batch i has n rows in the columns h, k and s. It also has
// a column for each of the names, and extra(i) returns the values of all these columns. The stream
// ends when extra returns nil.
func feedArrow(t testing.TB, f *feed, n int, names []string, extra func(i int) arrow.Array,
	options ...ipc.Option) {
	nulls := array.NewNull(n)
	a := &arrowFeed{first: []arrow.Array{nulls, nulls, nulls}, n: int64(n), names: names}
	if n <= 1000 {
		batch := arrowBatch(t, signedTable(t, rows.ECDSA, n+1), 0, n,
			func(int) arrow.DataType { return arrow.BinaryTypes.Binary })
		a.first = batch.Columns()[1:]
	}
	for i := 0; f.err == nil; i++ {
		column := extra(i)
		if column == nil {
			break
		}
		f.err = a.write(f.w, column, options)
	}
	if a.w != nil && f.err == nil {
		f.err = a.w.Close()
	}
}

// write writes one batch. Every column of the batch after h, k and s has the values of the argument
// column.
func (a *arrowFeed) write(w io.Writer, column arrow.Array, options []ipc.Option) error {
	list := append([]arrow.Array{}, a.first...)
	var fields []arrow.Field
	for i, name := range []string{"h", "k", "s"} {
		fields = append(fields, arrow.Field{Name: name, Type: list[i].DataType(), Nullable: true})
	}
	for _, name := range a.names {
		list = append(list, column)
		fields = append(fields, arrow.Field{Name: name, Type: column.DataType(), Nullable: true})
	}
	schema := arrow.NewSchema(fields, nil)
	if a.w == nil {
		a.w = ipc.NewWriter(w, append(options, ipc.WithSchema(schema))...)
	}
	return a.w.Write(array.NewRecordBatch(schema, list, a.n))
}

// texts returns a column of n values. The first is a string that repeats letter size times, and the
// others are nulls.
func texts(n, size int, letter byte) arrow.Array {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	b.Append(strings.Repeat(string(letter), size))
	for range n - 1 {
		b.AppendNull()
	}
	return b.NewArray()
}

// until returns a function that calls f(i) if i is below n, and otherwise returns nil.
func until(n int, f func(i int) arrow.Array) func(int) arrow.Array {
	return func(i int) arrow.Array {
		if i >= n {
			return nil
		}
		return f(i)
	}
}

// claimed returns a function that writes a compressed stream of one batch. The batch's header
// claims that the column of strings takes length bytes uncompressed.
func claimed(t testing.TB, length uint64) func(*feed) {
	const long = 777_777
	var b bytes.Buffer
	feedArrow(t, &feed{w: &b}, 3, []string{"note"}, until(1, func(int) arrow.Array {
		return texts(3, long, 'x')
	}), ipc.WithZstd())
	old := binary.LittleEndian.AppendUint64(nil, long)
	if bytes.Count(b.Bytes(), old) != 1 {
		t.Fatal("the length stands elsewhere")
	}
	bad := bytes.Replace(b.Bytes(), old, binary.LittleEndian.AppendUint64(nil, length), 1)
	return func(f *feed) { f.text(string(bad)) }
}

// TestMemoryOfStreams checks that the command stays within its memory limit on streams that are
// long, or that claim to be.
func TestMemoryOfStreams(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	const wide = 31 << 20
	names := make([]string, 9_990)
	for i := range names {
		names[i] = fmt.Sprint("column ", i)
	}
	dictionary := func(i int) arrow.Array {
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8,
			ValueType: arrow.BinaryTypes.String}
		b := array.NewBuilder(memory.NewGoAllocator(), &arrow.Int8Type{}).(*array.Int8Builder)
		b.AppendValues([]int8{0, 0, 0}, nil)
		return array.NewDictionaryArray(typ, b.NewArray(), texts(1, wide, byte('a'+i%20)))
	}
	for _, test := range []struct {
		name   string
		text   func(f *feed)
		args   string
		status int
		want   string
	}{
		{"packed, bad rows", func(f *feed) { f.times(f.size(1<<19), strings.Repeat("\xff", 129)) },
			"--format packed-ecdsa", exitOK, ""},
		{"packed, parts of rows", func(f *feed) {
			for range f.size(1<<16) + 1 {
				f.text(strings.Repeat("\xff", 127))
			}
		}, "--format packed-bip340", exitUnreadable, "the stream ends inside row "},
		{"long batches", func(f *feed) {
			feedArrow(t, f, 1000, []string{"note"}, until(f.size(12), func(i int) arrow.Array {
				return texts(1000, wide, 'x')
			}))
		}, "", exitOK, ""},
		{"long batches, packed", func(f *feed) {
			feedArrow(t, f, 1000, []string{"note"}, until(f.size(12), func(i int) arrow.Array {
				return texts(1000, wide, 'x')
			}), ipc.WithZstd())
		}, "", exitOK, ""},
		{"a batch that is too long", func(f *feed) {
			feedArrow(t, f, 3, []string{"note"}, until(1, func(i int) arrow.Array {
				return texts(3, 40<<20, 'x')
			}))
		}, "", exitUnreadable, "stdin: batch 0: a batch of "},
		{"a batch that is too long, packed", func(f *feed) {
			feedArrow(t, f, 3, []string{"note"}, until(1, func(i int) arrow.Array {
				return texts(3, 150<<20, 'x')
			}), ipc.WithZstd())
		}, "", exitUnreadable, "stdin: batch 0: a batch takes more than 32 MiB"},
		{"a length that is claimed", claimed(t, 1<<40), "", exitUnreadable, "stdin: batch 0: "},
		{"another one", claimed(t, 60<<20), "", exitUnreadable, "stdin: batch 0: "},
		{"a length below zero", claimed(t, 1<<63), "", exitUnreadable, "stdin: batch 0: "},
		{"many columns", func(f *feed) {
			feedArrow(t, f, 1, names, until(f.size(32), func(i int) arrow.Array {
				return texts(1, 100, 'x')
			}))
		}, "", exitOK, ""},
		{"more columns", func(f *feed) {
			feedArrow(t, f, 1, append(names, names...), until(1, func(i int) arrow.Array {
				return texts(1, 1, 'x')
			}))
		}, "", exitUnreadable, "stdin: more than 10000 columns"},
		{"dictionaries", func(f *feed) {
			feedArrow(t, f, 3, []string{"note"}, until(f.size(12), dictionary))
		}, "", exitOK, ""},
		{"empty batches", func(f *feed) {
			feedArrow(t, f, 0, []string{"note"}, until(f.size(1<<14), func(int) arrow.Array {
				return array.NewNull(0)
			}))
		}, "", exitOK, ""},
		{"null rows", func(f *feed) {
			feedArrow(t, f, 1<<17, nil, until(f.size(6), func(int) arrow.Array { return array.NewNull(1) }))
		}, "", exitOK, ""},
		{"more null rows", func(f *feed) {
			feedArrow(t, f, 1<<30, nil, until(1, func(int) arrow.Array { return array.NewNull(1) }))
		}, "", exitUnreadable, "stdin: batch 0: 1073741824 rows, more than the 131072"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			r, w := io.Pipe()
			go func() {
				test.text(&feed{w: w, short: !deep()})
				w.Close()
			}()
			args := "--columns hash=h,key=k,sig=s"
			if test.args != "" {
				args = test.args
			}
			status, stdout, stderr := limited(t, fourWorkers, r, nil, append([]string{"stream",
				"--workers", "4"}, strings.Fields(args)...)...)
			r.Close()
			if status != test.status || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("status %d, want %d and %q\n%.1500s", status, test.status, test.want, stderr)
			}
			if test.status == exitOK && stdout.n == 0 {
				t.Error("nothing came out")
			}
		})
	}
}
