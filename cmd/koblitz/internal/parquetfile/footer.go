package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
)

// These are limits on the description of a file.
const (
	// maxFooter is the maximum size of a file's metadata in bytes. A row group of three columns has
	// about 500 bytes of metadata.
	maxFooter = 4 << 20
	// maxElements is the maximum number of columns and groups of columns of a file, and maxPaths
	// the maximum total length of the columns' paths in bytes. A file with that many columns has no
	// room for a row group in its description.
	maxElements = 1 << 17
	maxPaths    = 4 * maxFooter
	// maxNesting limits the nesting depth of groups of columns.
	maxNesting = 100
)

// A leaf is a column of a file, a leaf in the tree of the schema.
type leaf struct {
	path       string // names of the groups that contain the column, and its own, with dots between
	kind       format.Type
	width      int  // size of a value in bytes, or 0 unless the type is FIXED_LEN_BYTE_ARRAY
	text       bool // the file declares the values as UTF-8
	repeated   bool
	definition int // definition level of a value that is not null
}

// A footer is the description of a file. The row groups are decoded when they are read.
type footer struct {
	leaves []leaf
	paths  []string // of the leaves
	bytes  []byte
	list   struct {
		Schema []offset `thrift:"2,required"`
		Rows   int64    `thrift:"3,required"`
		Groups []offset `thrift:"4,required"`
	}
}

// A rowGroup describes a row group. Columns are the offsets of the columns' descriptions in b.
type rowGroup struct {
	b       []byte
	Columns []offset `thrift:"1,required"`
	Rows    int64    `thrift:"3,required"`
}

// readFooter reads the description of the file in r, which has size bytes.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	var end [8]byte
	if size < int64(len(Magic)+len(end)) {
		return nil, errors.New("the file is too short for Parquet")
	}
	if _, err := r.ReadAt(end[:], size-int64(len(end))); err != nil {
		return nil, err
	}
	if string(end[4:]) != Magic {
		return nil, errors.New("the file does not end as Parquet does (truncated, or encrypted)")
	}
	n := binary.LittleEndian.Uint32(end[:])
	if n > maxFooter {
		return nil, fmt.Errorf("the description of the file has %d bytes, more than the %d that are read",
			n, maxFooter)
	}
	begin := size - int64(len(end)) - int64(n)
	if begin < int64(len(Magic)) {
		return nil, fmt.Errorf("the description of the file has %d bytes, more than the file", n)
	}
	f := &footer{bytes: make([]byte, n)}
	if _, err := r.ReadAt(f.bytes, begin); err != nil {
		return nil, err
	}
	_, err := decode(f.bytes, &f.list)
	if err == nil {
		err = f.schema()
	}
	if err != nil {
		return nil, fmt.Errorf("the description of the file: %w", truncated(err))
	}
	return f, nil
}

// schema decodes the schema, a list in which each group of columns precedes its members, and sets
// f.leaves, the list of the columns.
func (f *footer) schema() error {
	type group struct {
		leaf
		members int // number of members that were not read
	}
	var open []group // the groups that contain the next element, the outermost first
	paths := 0
	if n := len(f.list.Schema); n == 0 || n > maxElements {
		return fmt.Errorf("a schema of %d elements", n)
	}
	for i, at := range f.list.Schema {
		var e format.SchemaElement
		if _, err := decode(f.bytes[at:], &e); err != nil {
			return err
		}
		var parent leaf
		if n := len(open); n > 0 {
			parent = open[n-1].leaf
			open[n-1].members--
		} else if i > 0 {
			return errThrift // a second root
		}
		l := leaf{path: e.Name, kind: -1, repeated: parent.repeated,
			definition: parent.definition}
		if len(open) > 1 {
			l.path = parent.path + "." + e.Name
		}
		switch repetition := e.RepetitionType.V; {
		case i == 0 || repetition == format.Required:
		case repetition == format.Optional || repetition == format.Repeated:
			l.definition++
			l.repeated = l.repeated || repetition == format.Repeated
		default:
			return errThrift
		}
		if paths += len(l.path); paths > maxPaths {
			return fmt.Errorf("names of more than %d bytes in total", maxPaths)
		}
		if n := e.NumChildren.V; n != 0 || i == 0 {
			if n <= 0 || len(open) == maxNesting {
				return errThrift
			}
			open = append(open, group{l, int(n)})
			continue
		}
		if e.Type.Valid {
			l.kind = e.Type.V
			if l.kind == format.FixedLenByteArray {
				l.width = int(e.TypeLength.V)
			}
		}
		_, l.text = e.LogicalType.Value.(*format.StringType)
		l.text = l.text || e.ConvertedType.Valid && e.ConvertedType.V == deprecated.UTF8
		f.leaves, f.paths = append(f.leaves, l), append(f.paths, l.path)
		for n := len(open); n > 0 && open[n-1].members == 0; n-- {
			open = open[:n-1]
		}
	}
	if len(open) > 0 {
		return errThrift
	}
	return nil
}

// group decodes the description of the row group with the index g.
func (f *footer) group(g int) (*rowGroup, error) {
	r := &rowGroup{b: f.bytes[f.list.Groups[g]:]}
	_, err := decode(r.b, r)
	switch {
	case err != nil:
		return nil, truncated(err)
	case r.Rows < 0 || r.Rows > 1<<40:
		return nil, fmt.Errorf("a row group of %d rows", r.Rows)
	case len(r.Columns) != len(f.leaves):
		return nil, fmt.Errorf("the row group has %d columns, and the file %d", len(r.Columns),
			len(f.leaves))
	}
	return r, r.inOrder(f.leaves)
}

// column decodes the description of a column in the row group.
func (r *rowGroup) column(l int) (format.ColumnChunk, error) {
	var c format.ColumnChunk
	_, err := decode(r.b[r.Columns[l]:], &c)
	return c, truncated(err)
}

// inOrder returns an error if a column of the row group is not the column of the schema at the same
// place, since other programs may look for columns by their paths. A column without a path is
// encrypted.
func (r *rowGroup) inOrder(leaves []leaf) error {
	for i := range leaves {
		c, err := r.column(i)
		if err != nil {
			return err
		}
		path := strings.Join(c.MetaData.PathInSchema, ".")
		if len(c.MetaData.PathInSchema) > 0 && path != leaves[i].path {
			return fmt.Errorf("column %d of the row group is %+q, and of the file %+q", i+1,
				columns.Short(path), columns.Short(leaves[i].path))
		}
	}
	return nil
}

// truncated adds to an io.ErrUnexpectedEOF that the file may be truncated.
func truncated(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is cut off, or says wrong where a page ends (truncated)")
	}
	return err
}
