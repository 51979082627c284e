package verdicts

import (
	"encoding/binary"
	"io"
	"unicode/utf8"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

const (
	// rowsPerGroup is the number of rows in a row group, which take about 10 MB of memory.
	rowsPerGroup = 1 << 15
	// pageBytes is the size in bytes at which a page is full: it gets no further value.
	pageBytes = 1 << 20
	// magic is the first and last four bytes of a Parquet file.
	magic = "PAR1"
)

// A parquetEncoder writes rows in Parquet, with rowsPerGroup rows in a row group and PLAIN values
// in pages of version 1. It lays out the pages, and small packages of parquet-go encode them,
// because that library's writer would add a quarter to the time to compile the command.
type parquetEncoder struct {
	out  io.Writer
	at   int64 // number of bytes written
	file format.FileMetaData
	rows [][len(columns)]value

	levels, values, runs, page, packed []byte // reused for each page
}

func newParquet(w io.Writer) (*parquetEncoder, error) {
	p := &parquetEncoder{out: w, rows: make([][len(columns)]value, 0, rowsPerGroup)}
	p.file = format.FileMetaData{Version: 1, CreatedBy: "koblitz", RowGroups: []format.RowGroup{},
		Schema: []format.SchemaElement{{Name: "verdicts", NumChildren: thrift.New(int32(len(columns)))}}}
	for i, c := range columns {
		e := format.SchemaElement{Name: c.name, Type: thrift.New(typeOf(i)),
			RepetitionType: thrift.New(format.Optional)}
		if c.isText {
			e.ConvertedType = thrift.New(deprecated.UTF8)
			e.LogicalType.Value = new(format.StringType)
		}
		p.file.Schema = append(p.file.Schema, e)
	}
	return p, p.write([]byte(magic))
}

// typeOf returns the type of the values of the column with index i.
func typeOf(i int) format.Type {
	if columns[i].isText {
		return format.ByteArray
	}
	return format.Int64
}

func (p *parquetEncoder) write(b []byte) error {
	n, err := p.out.Write(b)
	p.at += int64(n)
	return err
}

func (p *parquetEncoder) row(r *verify.Row) error {
	v := values(r)
	for i := range v { // text in Parquet must be UTF-8
		if !utf8.ValidString(v[i].text) {
			v[i].text = string([]rune(v[i].text)) // one U+FFFD for each byte, as in JSON
		}
	}
	if p.rows = append(p.rows, v); len(p.rows) < rowsPerGroup {
		return nil
	}
	return p.group()
}

// group writes the rows collected so far as a row group.
func (p *parquetEncoder) group() error {
	g := format.RowGroup{NumRows: int64(len(p.rows))}
	for i := range columns {
		c := format.ColumnChunk{MetaData: format.ColumnMetaData{
			Type: typeOf(i), Encoding: []format.Encoding{format.Plain, format.RLE},
			PathInSchema: []string{columns[i].name}, Codec: format.Snappy,
			NumValues: g.NumRows, DataPageOffset: p.at}}
		for rows := p.rows; len(rows) > 0; {
			n, err := p.writePage(&c.MetaData, i, rows)
			if err != nil {
				return err
			}
			rows = rows[n:]
		}
		c.MetaData.TotalCompressedSize = p.at - c.MetaData.DataPageOffset
		g.TotalByteSize += c.MetaData.TotalUncompressedSize
		g.Columns = append(g.Columns, c)
	}
	p.file.RowGroups = append(p.file.RowGroups, g)
	p.file.NumRows += g.NumRows
	clear(p.rows)
	p.rows = p.rows[:0]
	return nil
}

// writePage writes a page of column i. The page has the fields of as many of the first rows as fit.
// writePage returns the number of these rows, and adds the page's size and number of nulls to m.
func (p *parquetEncoder) writePage(m *format.ColumnMetaData, i int,
	rows [][len(columns)]value) (int, error) {
	p.levels, p.values = p.levels[:0], p.values[:0]
	nulls := 0
	for k := 0; k < len(rows) && len(p.values) < pageBytes; k++ {
		level := byte(1)
		switch v := &rows[k][i]; {
		case !v.set:
			level = 0
			nulls++
		case m.Type == format.ByteArray:
			p.values = plain.AppendByteArrayString(p.values, v.text)
		default:
			p.values = plain.AppendInt64(p.values, v.number)
		}
		p.levels = append(p.levels, level)
	}
	var err error
	if p.runs, err = (&rle.Encoding{BitWidth: 1}).EncodeLevels(p.runs, p.levels); err != nil {
		return 0, err
	}
	p.page = binary.LittleEndian.AppendUint32(p.page[:0], uint32(len(p.runs)))
	p.page = append(append(p.page, p.runs...), p.values...)
	p.packed = snappy.Encode(p.packed[:cap(p.packed)], p.page)
	statistics := format.Statistics{NullCount: int64(nulls)}
	header, err := thrift.Marshal(new(thrift.CompactProtocol), format.PageHeader{
		Type: format.DataPage, UncompressedPageSize: int32(len(p.page)),
		CompressedPageSize: int32(len(p.packed)),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(len(p.levels)),
			Encoding: format.Plain, DefinitionLevelEncoding: format.RLE,
			RepetitionLevelEncoding: format.RLE, Statistics: statistics})})
	if err == nil {
		err = p.write(append(header, p.packed...))
	}
	m.TotalUncompressedSize += int64(len(header) + len(p.page))
	m.Statistics.NullCount += statistics.NullCount
	return len(p.levels), err
}

func (p *parquetEncoder) close() error {
	if len(p.rows) > 0 {
		if err := p.group(); err != nil {
			return err
		}
	}
	b, err := thrift.Marshal(new(thrift.CompactProtocol), p.file)
	if err != nil {
		return err
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)))
	return p.write(append(b, magic...))
}
