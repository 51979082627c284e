// Package arrowstreamtest writes Arrow IPC streams for tests, with columns of a few types. The
// module lab has tests with streams that another library wrote, with columns of all types.
package arrowstreamtest

//ci:untested The tests of koblitz stream run it.

import (
	"bytes"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
)

// A Column is a column of a batch.
type Column struct {
	columnstest.Column
	Type byte // ipc.Null, ipc.Binary or ipc.Text
}

// Binaries returns the columns of a table, with the type Binary.
func Binaries(table []columnstest.Column) (list []Column) {
	for _, c := range table {
		list = append(list, Column{Column: c, Type: ipc.Binary})
	}
	return list
}

// A Writer writes a stream. Its first batch determines the schema.
type Writer struct {
	Out   io.Writer
	begun bool
}

// Batch writes a batch with the given number of rows.
func (w *Writer) Batch(rows int, columns ...Column) error {
	if !w.begun {
		w.begun = true
		b := flatbuffers.NewBuilder(0)
		var fields []flatbuffers.UOffsetT
		for _, c := range columns {
			fields = append(fields, ipc.Field(b, c.Name, true, c.Type))
		}
		if _, err := w.Out.Write(ipc.Schema(b, fields, 0)); err != nil {
			return err
		}
	}
	var list []*ipc.Column
	for _, c := range columns {
		column := new(ipc.Column)
		if c.Type == ipc.Null {
			*column = ipc.Column{Null: true, Rows: int64(rows), Nulls: int64(rows)}
		} else {
			for _, v := range c.Values {
				ipc.Append(column, v, v == nil)
			}
		}
		list = append(list, column)
	}
	return (&ipc.Batch{Length: int64(rows)}).Write(w.Out, nil, list...)
}

// Close writes the end of the stream.
func (w *Writer) Close() error {
	_, err := io.WriteString(w.Out, ipc.End)
	return err
}

// Stream returns a stream with a batch for each table in batches.
func Stream(batches ...[]Column) []byte {
	var out bytes.Buffer
	w := Writer{Out: &out}
	for _, columns := range batches {
		w.Batch(len(columns[0].Values), columns...) // a bytes.Buffer returns no error
	}
	w.Close()
	return out.Bytes()
}
