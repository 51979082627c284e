package columns

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

var (
	hex32 = strings.Repeat("ab", 32)
	hex33 = "02" + hex32
	hex64 = hex32 + hex32
)

// TestJSONRows checks that each malformed row gets the right error, and that the rows before and
// after it are read correctly.
func TestJSONRows(t *testing.T) {
	good := fmt.Sprintf(`{"h":"%s","k":"%s","s":"%s"}`, hex32, hex33, hex64)
	with := func(h, k, s string) string {
		return fmt.Sprintf(`{"h":%s,"k":%s,"s":%s}`, h, k, s)
	}
	h, k, s := `"`+hex32+`"`, `"`+hex33+`"`, `"`+hex64+`"`
	long := strings.Repeat("y", 300_000)
	for _, test := range []struct{ row, want string }{
		{good, "ok"},
		{" " + good + "\t", "ok"},
		{`{"x":[1,{"h":2}],` + good[1:], "ok"},
		{strings.Replace(good, `"h"`, `"\u0068"`, 1), "ok"},
		{strings.Replace(good, "ab", `\u0061b`, 1), "ok"},
		{with(h, `"04`+hex64+`"`, s), "ok"},
		{with(h, k, `"3044`+hex64+`"`), "ok"}, // accepted here; the verifier parses it as DER
		{with("null", k, s), `column "h": null`},
		{with("7", k, s), `column "h": a number instead of a string`},
		{with(h, "true", s), `column "k": a boolean instead of a string`},
		{with(h, "false", s), `column "k": a boolean instead of a string`},
		{with(h, k, "[1]"), `column "s": a list instead of a string`},
		{with(h, k, `{"a":1}`), `column "s": an object instead of a string`},
		{with(`""`, k, s), `column "h": 0 bytes instead of 32`},
		{with(h, h, s), `column "k": 32 bytes instead of 33 or 65`},
		{with(h, k, `"`+hex64+`00"`), `column "s": 65 bytes instead of 64, or DER (r, s and v, of 65 ` +
			`bytes, are for recovery: --format columns-recover)`},
		{with(`"`+hex32+`0"`, k, s), `column "h": neither hex digits nor base64`},
		{with(`"0x`+hex32+`0"`, k, s), `column "h": not hex: odd length hex string`},
		{with(`"`+strings.Repeat("a", MaxCell+1)+`"`, k, s),
			`column "h": 513 bytes, more than any value has`},
		{with("null", "null", "null"), `column "h": null`}, // the error names the first null cell
		{`{"h":"` + hex32 + `","k":"` + hex33 + `"}`, `column "s": missing`},
		{`{}`, `column "h": missing`},
		{`{"h":` + h + "," + good[1:], `duplicate object member name "h"`},
		{`{"x":{"y":1,"y":2},` + good[1:], `duplicate object member name "y"`},
		{`{"` + long + `":1,"` + long + `":2}`, `name "` + long[:40] + `"…`},
		{`{"H":1,` + good[1:], `the names of columns "h" and "H" differ in case alone: rename one`},
		{good[:len(good)-1] + `,"\u212a":1}`, "the names of columns \"k\" and \"\\u212a\" differ in " +
			"case alone"},
		{`{"x":{"H":1},` + good[1:], "ok"},
		{good + good, "not JSON: more than one value in the line"},
		{good + "x", "invalid character 'x'"},
		{"[" + good + "]", "not JSON: a row is an object {…}"},
		{"x", "not JSON: a row is an object {…}"},
		{good[:len(good)-1], "unexpected EOF"},
		{good[:len(good)-1] + ",}", "invalid character ','"},
		{`{"h" ` + h + `}`, `invalid character '"' after object name`},
		{"{\"\xff\":1," + good[1:], "invalid UTF-8"},
		{good[:len(good)-1] + "\r}", "a carriage return in the midst of a line"},
		{`{"x":[` + "\r" + good + "\r]," + good[1:], "a carriage return in the midst of a line"},
		{good + "\r", "ok"},
		{good + "\r\r", "a carriage return in the midst of a line"},
		{`{"x":"` + "\u0085\u2028\ufeff" + `",` + good[1:], "ok"},
		{strings.Repeat("[", 20000), "not JSON: a row is an object {…}"},
		{`{"x":` + strings.Repeat("[", 20000), "exceeded max depth"},
		{`{"x":"` + strings.Repeat("x", maxRecord) + `"}`, "the row is longer than 1 MiB"},
	} {
		checkRow(t, JSONL, "", good, test.row, test.want)
	}
}

// checkRow checks that a row between two good ones gets the error want, which is "ok" if the row is
// good too, and that the good rows are read correctly, no matter how many bytes each read returns.
func checkRow(t *testing.T, open opener, header, good, row, want string) {
	t.Helper()
	text := header + good + "\n" + row + "\n\n" + good + "\n"
	first := 1 + strings.Count(header, "\n")
	places := []int{first, first + 1, first + 3 + strings.Count(row, "\n")}
	for _, slow := range []bool{false, true} {
		src := source([]byte(text))
		if slow && len(text) < 1<<16 {
			src.Reader = iotest.OneByteReader(src.Reader)
		}
		r := must(open(src, specFor(t, reading.ECDSA, Auto)))
		units, err := columnstest.ReadAll(r)
		if err != io.EOF || len(units) != 3 {
			t.Errorf("%.60q: %d rows, %v", row, len(units), err)
			continue
		}
		got := columnstest.Text(units[1])
		if !strings.Contains(got, want) || len(got) > 200 {
			t.Errorf("%.60q: %.300q, want %q", row, got, want)
		}
		for i, line := range places {
			want := fmt.Sprintf("t:%d", line)
			if units[i].Where != want || i != 1 && units[i].Decided != 0 {
				t.Errorf("%.60q: row %d: %+v, want %s", row, i, units[i], want)
			}
		}
	}
}

// TestCSVRows checks for CSV that each malformed row gets the right error, and that the rows before
// and after it are read correctly.
func TestCSVRows(t *testing.T) {
	good := "n," + hex32 + "," + hex33 + "," + hex64
	const notCSV = "not CSV, with a row in one line: "
	for _, test := range []struct{ row, want string }{
		{good, "ok"},
		{`"a ""quoted"", note"` + good[1:], "ok"},
		{`n,"` + hex32 + `",` + hex33 + `,"` + hex64 + `"`, "ok"},
		{"n,," + hex33 + "," + hex64, `column "h": empty`},
		{"n,NULL," + hex33 + "," + hex64, `column "h": 3 bytes instead of 32`},
		{good + ",", "5 fields, and the header has 4"},
		{"n", "1 fields, and the header has 4"},
		{"n," + strings.Repeat("a", MaxCell+1) + ",,", `column "h": 513 bytes, more than any`},
		{`a"b` + good[1:], notCSV + `bare " in non-quoted-field`},
		{`"a"b` + good[1:], notCSV + `extraneous or missing " in quoted-field`},
		{`"a` + good[1:], notCSV + `extraneous or missing " in quoted-field`},
		{good + "\r", "ok"},
		{"a\r" + good, "a carriage return in the midst of a line"},
		{`"a` + "\r" + `"` + good[1:], "a carriage return in the midst of a line"},
		{`"` + "\v\f\x1c\x1d\x1e\u0085\u2028\u2029" + `"` + good[1:], "ok"},
		{"a\u2028" + good, "U+2028 outside of quotation marks, which some programs read as"},
		{"\v" + good, "U+000B outside of quotation marks"},
		{`"` + "\x00" + `"` + good[1:], "a NUL character"},
		{strings.Repeat(",", maxCommas), "32769 fields, and the header has 4"},
		{strings.Repeat(",", maxCommas+1), "more than 32768 commas in a row"},
		{strings.Repeat("x", maxRecord), "1 fields, and the header has 4"},
		{strings.Repeat("x", maxRecord+1), "the row is longer than 1 MiB"},
	} {
		checkRow(t, CSV, "note,h,k,s\n", good, test.row, test.want)
	}
}

// TestHeader checks that Header returns the header with the file's byte order mark, and that the
// rows after it are read, no matter how many bytes each read returns.
func TestHeader(t *testing.T) {
	for text, head := range map[string]string{"h,k,s": "h,k,s", "\xef\xbb\xbfh,k,s\r": "",
		"\n\r\n\"h\",k,s": "\"h\",k,s", "\xef\xbb\xbf\n\"h\",k,s": "\xef\xbb\xbf\"h\",k,s"} {
		for _, read := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader} {
			r := must(CSV(reading.Source{Name: "t", Reader: read(strings.NewReader(text + "\n1,2,3\n"))},
				specFor(t, reading.ECDSA, Auto)))
			if got := string(Header(r)); got != cmp.Or(head, text) {
				t.Errorf("%q instead of %q", got, head)
			}
			units, err := columnstest.ReadAll(r)
			where := fmt.Sprintf("t:%d", 2+strings.Count(text, "\n"))
			if err != io.EOF || len(units) != 1 || units[0].Where != where {
				t.Errorf("%q: %+v, %v", text, units, err)
			}
		}
	}
}

// TestWaiting checks that rows that were read are returned before the reader waits for more, even
// if the beginning of the next row was read too.
func TestWaiting(t *testing.T) {
	for text, open := range map[string]opener{"h,k,s\n1,2,3\n4,": CSV, "{}\n{": JSONL} {
		in, out := io.Pipe()
		go out.Write([]byte(text))
		r := must(open(reading.Source{Name: "t", Reader: in}, specFor(t, reading.ECDSA, Auto)))
		n := 0
		must(r.Next()).Expand(func(*reading.Unit) { n++ })
		if n != 1 {
			t.Errorf("%q: %d rows", text, n)
		}
		in.Close()
	}
}

// TestTextFiles checks the error that ends reading for files that are wrong as a whole, such as
// files without rows or without a named column, and io.EOF for correct files.
func TestTextFiles(t *testing.T) {
	for _, test := range []struct{ csv, text, want string }{
		{"csv", "", "t:1: an empty file"},
		{"csv", "\n\n", "t:3: an empty file"},
		{"csv", "h,k,s", "t:1: a table without rows"},
		{"csv", "h,k,s\n\n", "a table without rows"},
		{"csv", "h,k\nx\n", `t:1: there is no column "s"; there are "h", "k"`},
		{"csv", "h,\u05d0\nx\n", `there is no column "k"; there are "h", "\u05d0"`},
		{"csv", "h,k,s,h\nx\n", `t:1: there are two columns "h"`},
		{"csv", "h,k,S,s\nx\n", `t:1: the names of columns "s" and "S" differ in case alone: rename one`},
		{"csv", "h,k,\"s\nx\n", "t:1: not CSV"},
		{"csv", "h,k,s,a\r1,2,3,4\n1,2,3,4,5,6,7\n", "t:1: a carriage return in the midst of a line"},
		{"csv", strings.Repeat("x,", 100) + "\n", `"x", "x", and 81 more`},
		{"csv", strings.Repeat("x", maxRecord+2), "t:1: the row is longer than 1 MiB"},
		{"csv", "\xef\xbb\xbfh,k,s\n1,2,3\n", "EOF"},
		{"csv", "\n\nh,k,s\n1,2,3", "EOF"},
		{"jsonl", "", "t:1: a table without rows"},
		{"jsonl", "\n \n", "a table without rows"},
	} {
		open := map[string]opener{"csv": CSV, "jsonl": JSONL}[test.csv]
		r, err := open(source([]byte(test.text)), specFor(t, reading.ECDSA, Auto))
		if err == nil {
			_, err = columnstest.ReadAll(r)
		}
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: %q, want %q", test.text, err, test.want)
		}
	}
	for text, open := range map[string]opener{"h,k,s\n": CSV, "{}": JSONL} {
		if _, err := open(source([]byte(text)), specFor(t, reading.ECDSA, Binary)); err == nil {
			t.Errorf("%q with binary columns is read", text)
		}
	}
}

// TestReadErrors checks that a read error ends the reading with the line in which it occurred, and
// that the row which it cuts off is not counted.
func TestReadErrors(t *testing.T) {
	for _, test := range []struct {
		open opener
		text string
	}{
		{JSONL, "\n{}\n"}, {JSONL, "\n{}\n{"},
		{CSV, "h,k,s\n1,2,3\n"}, {CSV, "h,k,s\n1,2,3\n4,"},
	} {
		r := must(test.open(reading.Source{Name: "t", Reader: io.MultiReader(strings.NewReader(test.text),
			iotest.ErrReader(io.ErrClosedPipe))}, specFor(t, reading.ECDSA, Auto)))
		units, err := columnstest.ReadAll(r)
		if len(units) != 1 || err.Error() != "t:3: "+io.ErrClosedPipe.Error() {
			t.Errorf("%q: %d rows, %v", test.text, len(units), err)
		}
	}
}

// TestLengths checks that each column accepts values of its permitted lengths only, for each kind
// of signature.
func TestLengths(t *testing.T) {
	for _, test := range []struct {
		scheme reading.Scheme
		role   Role
		want   string
	}{
		{reading.ECDSA, Digest, "[32]"}, {reading.ECDSA, Key, "[33 65]"},
		{reading.Schnorr, Digest, "[32]"}, {reading.Schnorr, Key, "[32]"},
		{reading.Schnorr, Signature, "[64]"}, {reading.Recover, Digest, "[32]"},
		{reading.Recover, Signature, "[65]"}, {reading.Recover, Sender, "[20]"},
		{reading.ECDSA, Signature, "[63 64 66 67]"}, // as DER, any other length is parsed
	} {
		spec := specFor(t, test.scheme, Auto)
		var fits []int
		for n := range 68 {
			m := newMaker(&spec, nil)
			m.set(test.role, make([]byte, n), false)
			if m.reason == "" && (n >= 63 || test.scheme != reading.ECDSA || test.role != Signature) {
				fits = append(fits, n)
			}
		}
		if got := fmt.Sprint(fits); got != test.want {
			t.Errorf("scheme %d, role %d: %s, want %s", test.scheme, test.role, got, test.want)
		}
	}
}

// TestRecoveryID checks that 27 is subtracted from a signature's last byte v if v is 27 to 30, as
// Ethereum writes it, and that other values of v are unchanged.
func TestRecoveryID(t *testing.T) {
	spec := specFor(t, reading.Recover, Auto)
	for v := range 256 {
		want := byte(v)
		if v >= 27 && v <= 30 {
			want -= 27
		}
		m := newMaker(&spec, func(u *reading.Unit) {
			if id := u.Signatures[0].Sig[64]; id != want {
				t.Errorf("v %d becomes %d, want %d", v, id, want)
			}
		})
		m.set(Digest, make([]byte, 32), false)
		m.set(Signature, append(make([]byte, 64), byte(v)), false)
		m.set(Sender, make([]byte, 20), false)
		m.emit()
	}
}
