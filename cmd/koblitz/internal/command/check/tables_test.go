package check

import (
	"io"
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

// TestTables checks that the same rows get the same verdicts in every format, for every scheme.
func TestTables(t *testing.T) {
	for scheme, columns := range commandtest.TableArgs {
		table := columnstest.Signed(t, scheme, 1100)
		table[3].Values[7][40] ^= 1 // the row is invalid, or its recovered sender differs
		files := tableFiles(t, table)
		for name, file := range files {
			r := checkJSON(t, "", "--columns", columns, file)
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
			single := checkJSON(t, "", "--columns", columns, "--one-by-one", file)
			if single.numbers() != want {
				t.Errorf("%s, %s, one by one: %v", columns, name, single.numbers())
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

// BenchmarkTables measures the time per row of check on a table, with two workers.
func BenchmarkTables(b *testing.B) {
	const n = 100_000
	for scheme, columns := range commandtest.TableArgs {
		table := columnstest.Signed(b, scheme, n)
		files := tableFiles(b, table)
		table = nil // if kept, every garbage collection would scan the table
		for name, file := range files {
			b.Run(strings.Split(columns, "=")[0]+strings.Repeat("-sender", map[bool]int{true: 1}[scheme ==
				reading.Recover])+"/"+name, func(b *testing.B) {
				for b.Loop() {
					status := program.RunTo(b.Context(), []string{"check", "--workers", "2", "--columns",
						columns, file}, strings.NewReader(""), io.Discard, io.Discard)
					if status != cli.ExitOK {
						b.Fatal("status", status)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
			})
		}
	}
}
