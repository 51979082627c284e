package lab

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestParquet checks that tables with every compression, encoding, type and page version are read
// correctly.
func TestParquet(t *testing.T) {
	const n = 2*columns.RowsPerBatch + 100
	table := columnstest.Sample(n)
	holes := columnstest.Sample(n)
	for i := range n {
		if i%7 == 3 {
			holes[1+i%3].Values[i] = nil
		}
	}
	for i := 500; i < 1800; i++ { // more than one whole batch of nulls
		holes[2].Values[i] = nil
	}
	spec := specFor(t, reading.ECDSA, columns.Auto)
	run := func(name string, table []columnstest.Column, l layout, spec columns.Spec,
		want []columnstest.Column) {
		t.Run(name, func(t *testing.T) {
			r, err := openParquet(writeParquet(t, table, l), spec)
			if err != nil {
				t.Fatal(err)
			}
			units, err := columnstest.ReadAll(r)
			columnstest.Compare(t, units, err, want, func(i int) string {
				return fmt.Sprintf("t: row %d", i)
			})
		})
	}
	for name, codec := range codecs {
		for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
			for _, dictionary := range []bool{false, true} {
				o := []parquet.WriterProperty{parquet.WithCompression(codec),
					parquet.WithDataPageVersion(version), parquet.WithDictionaryDefault(dictionary),
					parquet.WithDataPageSize(20 << 10)}
				name := fmt.Sprintf("%s/v%d/%v", name, version+1, dictionary)
				run(name, table, layout{Required: true, Options: o}, spec, table)
				run(name+"/nulls", holes, layout{Options: o, Group: 700}, spec, holes)
				run(name+"/fixed", table, layout{Fixed: true, Options: o, Group: 999}, spec, table)
			}
		}
	}
	for _, version := range []parquet.DataPageVersion{parquet.DataPageV1, parquet.DataPageV2} {
		run(fmt.Sprintf("delta lengths/v%d", version+1), holes, layout{Group: 700,
			Options: []parquet.WriterProperty{
				parquet.WithEncoding(parquet.Encodings.DeltaLengthByteArray),
				parquet.WithDictionaryDefault(false), parquet.WithDataPageVersion(version)}}, spec, holes)
	}
	for name, form := range columnstest.Forms {
		run("text/"+name, columnstest.AsText(holes, form), layout{Text: true}, spec, holes)
		encoding := columns.Base64
		if strings.EqualFold(name[:1], "0") || name == "hex" {
			encoding = columns.Hex
		}
		run("bytes of text/"+name, columnstest.AsText(holes, form),
			layout{}, specFor(t, reading.ECDSA, encoding),
			holes)
	}
	run("binary text", table, layout{Text: false},
		specFor(t, reading.ECDSA, columns.Binary), table)
	run("a dictionary of few", repeated(table),
		layout{Group: 300}, spec, repeated(table))
}

// TestParquetFiles checks that files that are wrong as a whole give the right errors, with the
// right positions.
func TestParquetFiles(t *testing.T) {
	table := columnstest.Sample(100)
	good := writeParquet(t, table, layout{Group: 40})
	noRows, err := os.ReadFile("testdata/norows.parquet") // by PyArrow 26.0.1
	if err != nil {
		t.Fatal(err)
	}
	spec := specFor(t, reading.ECDSA, columns.Auto)
	named := func(assignments ...string) columns.Spec {
		s, err := columns.ParseSpec(assignments, 0, columns.Auto)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, test := range []struct {
		name string
		data []byte
		spec columns.Spec
		want string
	}{
		{"empty", nil, spec, "too short for Parquet"},
		{"truncated", good[:len(good)-1], spec, "does not end as Parquet does"},
		{"a long footer", append(bytes.Clone(good[:len(good)-8]), 0, 0, 0x41, 0, 'P', 'A', 'R', '1'),
			spec, "the description of the file has 4259840 bytes"},
		{"a footer before the file", append(bytes.Clone(good[:len(good)-8]), 0, 0, 1, 0, 'P', 'A', 'R',
			'1'), spec, "the description of the file has 65536 bytes, more than the file"},
		{"no column", good, named("hash=H", "key=k", "signature=s"),
			`there is no column "H"; there are "note", "h", "k", "s"`},
		{"no rows",
			writeParquet(t, columnstest.Sample(0), layout{}), spec,
			"t: a table without rows"},
		{"no rows, by PyArrow", noRows, spec, "t: a table without rows"},
		{"names alike", writeParquet(t, append(slices.Clone(table), columnstest.Column{Name: "S",
			Values: table[3].Values}), layout{}), spec,
			`the names of columns "s" and "S" differ in case alone: rename one`},
	} {
		r, err := openParquet(test.data, test.spec)
		if err == nil {
			_, err = columnstest.ReadAll(r)
		}
		if !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "t: ") {
			t.Errorf("%s: %q, want %q", test.name, err, test.want)
		}
	}
	// If a file has an invalid page, the rows of the pages before it must be read.
	broken := bytes.Clone(good)
	at := bytes.Index(broken, table[3].Values[70])
	broken[at-4] = 0xff // the high byte of the value's length
	r, err := openParquet(broken, spec)
	if err != nil {
		t.Fatal(err)
	}
	units, err := columnstest.ReadAll(r)
	if len(units) != 71 || !strings.Contains(err.Error(), `t: row group 1, at row 71: column "s": `) {
		t.Errorf("%d rows, %v", len(units), err)
	}
}

// TestParquetRefused checks that encodings and compressions that few programs write are refused,
// and that the errors say what to write instead.
func TestParquetRefused(t *testing.T) {
	plain := parquet.WithDictionaryDefault(false)
	for _, test := range []struct {
		want string
		l    layout
	}{
		{"compression BROTLI is not read: write Snappy, gzip, zstd or LZ4_RAW",
			layout{Options: []parquet.WriterProperty{
				parquet.WithCompression(compress.Codecs.Brotli)}}},
		{"DELTA_BYTE_ARRAY of BYTE_ARRAY is an encoding that is not read: write PLAIN, a dictionary, " +
			"or DELTA_LENGTH_BYTE_ARRAY of BYTE_ARRAY",
			layout{Options: []parquet.WriterProperty{plain,
				parquet.WithEncoding(parquet.Encodings.DeltaByteArray)}}},
		{"BYTE_STREAM_SPLIT of FIXED_LEN_BYTE_ARRAY is an encoding that is not read",
			layout{Fixed: true, Options: []parquet.WriterProperty{plain,
				parquet.WithEncodingFor("h", parquet.Encodings.ByteStreamSplit)}}},
	} {
		r, err := openParquet(writeParquet(t, columnstest.Sample(6), test.l),
			specFor(t, reading.ECDSA, columns.Auto))
		if err == nil {
			_, err = columnstest.ReadAll(r)
		}
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// TestParquetBytes changes bytes of small files in turn, and checks that reading ends, with an
// error or at the end of the file.
func TestParquetBytes(t *testing.T) {
	spec := specFor(t, reading.ECDSA, columns.Auto)
	for name, codec := range codecs {
		for _, l := range []layout{
			{Options: []parquet.WriterProperty{parquet.WithDictionaryDefault(true)}},
			{Options: []parquet.WriterProperty{parquet.WithDictionaryDefault(false),
				parquet.WithDataPageVersion(parquet.DataPageV2)}},
			{Options: []parquet.WriterProperty{parquet.WithDictionaryDefault(false),
				parquet.WithEncoding(parquet.Encodings.DeltaLengthByteArray)}},
		} {
			l.Options = append(l.Options, parquet.WithCompression(codec))
			data := writeParquet(t, repeated(columnstest.Sample(6)), l)
			step := 41
			if os.Getenv("KOBLITZ_DEEP") == "every" {
				step = 1
			}
			for i := 0; i < len(data); i += step {
				for _, x := range []byte{0x01, 0x80, 0xff} {
					data[i] ^= x
					r, err := openParquet(data, spec)
					if err == nil {
						_, err = columnstest.ReadAll(r)
					}
					if err == nil {
						t.Fatalf("%s: byte %d: no end", name, i)
					}
					data[i] ^= x
				}
			}
		}
	}
}

// TestParquetCounts checks that no row is skipped if two row counts in a file differ. All rows that
// the row groups claim must be read before the error is returned.
func TestParquetCounts(t *testing.T) {
	const n, fewer = 300, 100
	// count returns the encoding of one of the row counts: FileMetaData.num_rows,
	// ColumnMetaData.num_values or RowGroup.num_rows. Each follows another i64 field in Thrift's
	// compact protocol.
	count := func(n uint64) []byte { return binary.AppendUvarint([]byte{0x16}, 2*n) }
	good := writeParquet(t, columnstest.Sample(n), layout{})
	footer := len(good) - 8 - int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	if bytes.Count(good[footer:], count(n)) != 6 || len(count(n)) != len(count(fewer)) {
		t.Fatal("these are not the counts")
	}
	patched := func(at int, count []byte) []byte {
		copy(good[at:], count)
		return bytes.Clone(good)
	}
	first := footer + bytes.Index(good[footer:], count(n))
	last := bytes.LastIndex(good, count(n))
	for _, c := range []struct {
		data []byte
		rows int
		want string
	}{
		{bytes.Clone(good), n, "EOF"},
		{patched(first, count(fewer)), n,
			"the row groups have 300 rows, and the file says that it has 100"},
		{patched(last, count(fewer)), fewer, `column "h": the column goes on after the 100 rows`},
		{patched(last, []byte{0x16, 0x80, 0}), 0, `column "h": the column goes on after the 0 rows`},
	} {
		r, err := openParquet(c.data, specFor(t, reading.ECDSA, columns.Auto))
		if err != nil {
			t.Fatal(err)
		}
		units, err := columnstest.ReadAll(r)
		if len(units) != c.rows || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d rows, want %d; %v, want %s", len(units), c.rows, err, c.want)
		}
	}
}

// repeated returns a table of the same size in which five values repeat in each column.
func repeated(table []columnstest.Column) (out []columnstest.Column) {
	for _, c := range table {
		few := columnstest.Column{Name: c.Name}
		for i := range c.Values {
			few.Values = append(few.Values, c.Values[i%5])
		}
		out = append(out, few)
	}
	return out
}

// specFor returns the Spec for a signature scheme and the columns of columnstest.Sample.
func specFor(t testing.TB, scheme reading.Scheme, e columns.Encoding) columns.Spec {
	t.Helper()
	names := map[reading.Scheme][]string{
		reading.ECDSA:   {"hash=h", "key=k", "signature=s"},
		reading.Schnorr: {"message=h", "key=k", "signature=s"},
		reading.Recover: {"hash=h", "signature=s", "sender=a"},
	}[scheme]
	s, err := columns.ParseSpec(names, 0, e)
	if err != nil {
		t.Fatal(err)
	}
	if s.Scheme != scheme {
		t.Fatalf("scheme %d, not %d", s.Scheme, scheme)
	}
	return s
}

func openParquet(data []byte, s columns.Spec) (reading.Reader, error) {
	return parquetfile.Open(reading.Source{Name: "t"}, bytes.NewReader(data), int64(len(data)), s)
}
