package verdicts

import (
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
)

// rowsPerGroup is the number of rows in a row group, which take about 10 MB of memory.
const rowsPerGroup = 1 << 15

// textColumns names the columns that hold text. The other columns hold 64-bit integers.
var textColumns = map[string]bool{"file": true, "tx": true, "event": true, "kind": true,
	"verdict": true, "reason": true, "sender": true}

// A parquetEncoder writes rows in Parquet, with rowsPerGroup rows in a row group.
type parquetEncoder struct {
	out    *file.Writer
	rows   [][14]value
	levels []int16
	texts  []parquet.ByteArray
	ints   []int64
}

func newParquet(w io.Writer) (*parquetEncoder, error) {
	var nodes schema.FieldList
	for _, name := range names {
		var logical schema.LogicalType
		kind := parquet.Types.Int64
		if textColumns[name] {
			logical, kind = schema.StringLogicalType{}, parquet.Types.ByteArray
		}
		n, err := schema.NewPrimitiveNodeLogical(name, parquet.Repetitions.Optional, logical, kind, -1,
			-1)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	root, err := schema.NewGroupNode("verdicts", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy),
		parquet.WithCreatedBy("koblitz"))
	p := &parquetEncoder{rows: make([][14]value, 0, rowsPerGroup)}
	return p, attempt(func() error {
		p.out = file.NewParquetWriter(w, root, file.WithWriterProps(props))
		return nil
	})
}

// attempt calls f and returns a panic as an error, since arrow-go panics on some write errors.
func attempt(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok {
				err = e
				return
			}
			err = fmt.Errorf("parquet: %v", p)
		}
	}()
	return f()
}

func (p *parquetEncoder) row(r *check.Row) error {
	v := values(r)
	for i := range v { // text in Parquet must be UTF-8
		v[i].text = strings.ToValidUTF8(v[i].text, "\uFFFD")
	}
	if p.rows = append(p.rows, v); len(p.rows) < rowsPerGroup {
		return nil
	}
	return attempt(p.group)
}

// group writes the rows collected so far as a row group.
func (p *parquetEncoder) group() error {
	g, err := p.out.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i := range names {
		c, err := g.NextColumn()
		if err != nil {
			return err
		}
		p.levels, p.texts, p.ints = p.levels[:0], p.texts[:0], p.ints[:0]
		for k := range p.rows {
			v := &p.rows[k][i]
			if v.kind == isNull {
				p.levels = append(p.levels, 0)
				continue
			}
			p.levels = append(p.levels, 1)
			p.texts = append(p.texts, parquet.ByteArray(v.text))
			p.ints = append(p.ints, v.number)
		}
		switch c := c.(type) {
		case *file.ByteArrayColumnChunkWriter:
			_, err = c.WriteBatch(p.texts, p.levels, nil)
		case *file.Int64ColumnChunkWriter:
			_, err = c.WriteBatch(p.ints, p.levels, nil)
		}
		if err == nil {
			err = c.Close()
		}
		if err != nil {
			return err
		}
	}
	clear(p.rows)
	p.rows = p.rows[:0]
	return g.Close()
}

func (p *parquetEncoder) close() error {
	return attempt(func() error {
		if len(p.rows) > 0 {
			if err := p.group(); err != nil {
				return err
			}
		}
		return p.out.Close()
	})
}
