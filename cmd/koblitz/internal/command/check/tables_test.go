package check

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// tableFiles writes a table in each format, and returns the names of the files by format.
func tableFiles(t testing.TB, table []columnstest.Column) map[string]string {
	t.Helper()
	dir := t.TempDir()
	hexed := columnstest.AsText(table, columnstest.Forms["hex"])
	based := columnstest.AsText(table, columnstest.Forms["base64"])
	files := map[string]string{}
	for name, data := range map[string][]byte{
		"bytes.parquet":  parquettest.Write(t, table, parquettest.Layout{Group: 1000}),
		"fixed.parquet":  parquettest.Write(t, table, parquettest.Layout{Fixed: true, Required: true}),
		"hex.parquet":    parquettest.Write(t, hexed, parquettest.Layout{Text: true}),
		"base64.parquet": parquettest.Write(t, based, parquettest.Layout{Text: true}),
		"hex.csv":        columnstest.CSV(hexed, "\n"),
		"base64.csv":     columnstest.CSV(based, "\r\n"),
		"hex.jsonl":      columnstest.JSONL(hexed),
		"base64.jsonl":   columnstest.JSONL(based),
	} {
		files[name] = write(t, filepath.Join(dir, name), data)
	}
	return files
}

// TestTables checks that the same rows get the same verdicts in every format, for every scheme. The
// report must have the right digest of each file, also of Parquet, which is not read from beginning
// to end.
func TestTables(t *testing.T) {
	for scheme, columns := range commandtest.TableArgs {
		table := columnstest.Signed(t, scheme, 1100)
		table[3].Values[7][40] ^= 1 // the row is invalid, or its recovered sender differs
		files := tableFiles(t, table)
		for name, file := range files {
			r := checkJSON(t, "", "--sha256", "--columns", columns, file)
			if size, sum := fileSum(t, file); r.Inputs[0].Bytes != size || r.Inputs[0].SHA256 != sum ||
				r.Inputs[0].Chain != nil {
				t.Errorf("%s: %+v, want %d bytes, %s", name, r.Inputs[0], size, sum)
			}
			want := [9]int64{1100, 1099, 1}
			if r.numbers() != want || r.Exit != cli.ExitInvalid || len(r.Failures) != 1 {
				t.Errorf("%s, %s: %v, exit %d, %+v", columns, name, r.numbers(), r.Exit, r.Failures)
				continue
			}
			f := r.Failures[0]
			place := f.Row != nil && *f.Row == 7
			if !strings.HasSuffix(name, ".parquet") {
				place = f.Line == 8 || strings.HasSuffix(name, ".csv") && f.Line == 9
			}
			if !place || f.File != file {
				t.Errorf("%s, %s: %+v", columns, name, f)
			}
			if scheme == reading.Recover {
				stdout, _ := expect(t, cli.ExitInvalid, nil, "", "check", "--senders", "--columns", columns,
					file)
				if n := strings.Count(stdout, ": from 0x"); n != 1099 {
					t.Errorf("%s: %d senders", name, n)
				}
			}
		}
		// One run must also read the table three times: compressed on standard input, and in two
		// files of other formats.
		text := []byte(readFile(t, files["hex.jsonl"]))
		r := checkJSON(t, string(commandtest.Gzipped(t, text)), "--columns", columns, "-",
			files["hex.csv"], files["bytes.parquet"])
		if r.numbers() != [9]int64{3300, 3297, 3} || r.Files != 3 || len(r.Formats) != 1 {
			t.Errorf("three files: %v, %d files, formats %v", r.numbers(), r.Files, r.Formats)
		}
	}
}
